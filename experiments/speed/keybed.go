package speed

import (
	"fmt"
	"time"

	"github.com/nestfilter/nest/experiments/measure"
)

// The forms of a key of bytes.
const (
	Bytes  = "bytes"
	String = "string"
)

// KeyForms returns the forms of a key of bytes: "bytes" and "string".
func KeyForms() []string { return []string{Bytes, String} }

// A KeyBed is one subject at one number of slots, filled to a load with keys of KeyBytes bytes, as most
// libraries take them.
type KeyBed struct {
	*Bed
	// Probes that are in the filter and others that are not, one behind the other, as bytes and as text.
	present, absent         []byte
	presentText, absentText string
}

// keyShare is the share of the keys that are looked up, if there are enough of them: a MiB of probes for a
// million keys, so that reading the probes does not push the table out of the cache.
const keyShare = 16

// NewKeyBed makes a filled bed: the keys of load 0.95 of n slots. The error is that of
// the filter's constructor, the first refusal, or [ErrOptions] where n is so small that there is no key.
func NewKeyBed(s Subject, n int) (*KeyBed, error) {
	bed, err := NewBed(s, n)
	if err != nil {
		return nil, err
	}
	b := &KeyBed{Bed: bed}
	b.Held = Keys(n)
	if b.Held == 0 {
		return nil, fmt.Errorf("speed: %w: %d slots hold no key", ErrOptions, n)
	}
	if _, err := b.fill(); err != nil {
		return nil, err
	}
	probes := min(max(b.Held/keyShare, minProbes), maxProbes)
	b.absent = appendKeys(nil, b.Held, b.Held+probes)
	for i := range probes {
		b.present = AppendKey(b.present, uint64(i*max(1, b.Held/probes)%b.Held))
	}
	b.presentText, b.absentText = string(b.present), string(b.absent)
	return b, nil
}

// Refill empties the filter and inserts its keys one by one.
func (b *KeyBed) Refill() (measure.Lap, error) {
	b.filter.Reset()
	return b.fill()
}

// fill inserts the keys. Their bytes are made a chunk at a time, outside the lap.
func (b *KeyBed) fill() (lap measure.Lap, err error) {
	const chunk = 1 << 12
	var keys []byte
	for k := 0; k < b.Held; k += chunk {
		keys = appendKeys(keys[:0], k, min(k+chunk, b.Held))
		start := time.Now()
		err := b.filter.FillBytes(keys)
		lap.Add(measure.LapSince(start, len(keys)/KeyBytes))
		if err != nil {
			return lap, fmt.Errorf("speed: %s of %d slots, after %d keys of %d: %w", b.Name, b.N, k, b.Held, err)
		}
	}
	return lap, nil
}

// appendKeys appends the bytes of the keys from, ..., to-1.
func appendKeys(keys []byte, from, to int) []byte {
	for k := from; k < to; k++ {
		keys = AppendKey(keys, uint64(k))
	}
	return keys
}

// BitsPerItem is the size of the table for each key, 0 where the filter does not tell its size.
func (b *KeyBed) BitsPerItem() float64 {
	if b.filter.SizeBytes == nil {
		return 0
	}
	return b.Bed.BitsPerItem()
}

// Contains looks up keys that are all in the filter, or all absent, one by one. The error is [ErrLost].
func (b *KeyBed) Contains(present bool, form string) (measure.Lap, error) {
	keys, text := b.absent, b.absentText
	if present {
		keys, text = b.present, b.presentText
	}
	found := 0
	start := time.Now()
	if form == String {
		found = b.filter.ContainsStrings(text)
	} else {
		found = b.filter.ContainsBytes(keys)
	}
	lap := measure.LapSince(start, len(keys)/KeyBytes)
	if present && found < lap.Keys {
		return lap, fmt.Errorf("speed: %s of %d slots: %w: %d of %d", b.Name, b.N, ErrLost, lap.Keys-found, lap.Keys)
	}
	return lap, nil
}

// FalsePositives counts the absent probes that are reported as present, and all absent probes.
func (b *KeyBed) FalsePositives() (reported, probes int) {
	return b.filter.ContainsBytes(b.absent), len(b.absent) / KeyBytes
}
