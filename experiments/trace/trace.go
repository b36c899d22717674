// Package trace shows what a cuckoo filter does with a handful of keys, insert by insert: digest, fingerprint, both
// buckets, every kick of the cuckoo path, and the table, as text and as an SVG picture for slides.
//
// What it shows is read off a real cuckoo.Filter and not off a model of one: the table is that of the filter's %#v, and
// the kicks are those that a cuckoo.Walk tells of. A [Frame] draws the instants of an insert, as nest page shows them.
package trace

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/internal/errs"
)

// The limits of what is still a picture and a text to read.
const (
	// MaxBuckets is the largest number of buckets: as many as the filter's %#v draws.
	MaxBuckets = 32
	// MaxKeys is the largest number of keys that are traced, and that are filled in before.
	MaxKeys = 1000
)

// Options say what to trace: a filter of 1 to MaxBuckets Buckets, whose BucketSize and FingerprintBits must be set.
type Options struct {
	cuckoo.Config
	// Fill is the number of random keys that are inserted first, without being reported one by one.
	Fill int
	// Keys are the keys to trace, repeated ones as often as they stand there. Without any, random keys are inserted until
	// one takes a cuckoo path of 2 to 12 kicks, or, in a table without one, as many as there are slots; the last three are
	// traced and the others count as filled in.
	Keys []string
}

// A Step is one insert.
type Step struct {
	Key                string
	Policy             cuckoo.KickPolicy // of the insert
	Digest             uint64
	Fingerprint        uint64
	Primary, Alternate uint64 // its buckets; they may coincide
	// Path is where the new fingerprint went, where the one that was there went, and so on; the last position was free. It
	// is empty if the key was refused. There is one kick less than positions.
	Path []Position
	// Refused is why the key was not stored, or nil. It wraps cuckoo.ErrFull.
	Refused error
	// TakenBack is the number of kicks that a walk made for a key that was refused.
	TakenBack     int
	Before, After Table
}

// Kicks returns the number of fingerprints that the insert moved.
func (s *Step) Kicks() int { return max(len(s.Path)-1, 0) }

// A Result is what happened.
type Result struct {
	Config      cuckoo.Config // resolved
	Filter      string        // after the random keys, as its String has it
	Filled      int           // random keys inserted first
	FillRefused int           // and how many of them were refused
	Start       Table         // after them
	Steps       []Step
}

// Run inserts the keys and reports each step. A key that does not fit is a step that says so and no error. The error
// wraps cuckoo.ErrConfig for options that make no filter, on one line.
func Run(o Options) (*Result, error) {
	m, err := NewMachine(o.Config)
	if err = cmp.Or(err, within("%d keys to fill in", o.Fill, 0, MaxKeys),
		within("%d keys to trace", len(o.Keys), 0, MaxKeys)); err != nil {
		return nil, err
	}
	fill, keys := randomKeys(o.Seed, 0, o.Fill), o.Keys
	if len(keys) == 0 {
		keys = o.chooseKeys()
		shown := max(len(keys)-3, o.Fill)
		fill, keys = keys[:shown], keys[shown:]
	}
	r := &Result{Config: m.config, Filled: len(fill)}
	for _, key := range fill {
		if s := m.Insert(key); s.Refused != nil {
			r.FillRefused++
		}
	}
	r.Filter, r.Start = m.filter.String(), m.Table
	for _, key := range keys {
		r.Steps = append(r.Steps, m.Insert(key))
	}
	return r, nil
}

// within reports a number that is not from least to most.
func within(what string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("trace: %w: "+what+", want %d to %d", errs.Config, n, least, most)
	}
	return nil
}

// randomKeys returns n random keys of a seed. There is more than one stream of them.
func randomKeys(seed, stream uint64, n int) (keys []string) {
	const first = 0x7472616365 // any constant: it separates this generator from others of one seed
	r := rand.New(rand.NewPCG(seed, first+stream))
	for range n {
		keys = append(keys, fmt.Sprintf("key-%05x", r.Uint32()>>12))
	}
	return keys
}

// chooseKeys returns random keys up to the first, behind those to fill in, whose kicks show what a cuckoo path is: more
// than one, and no more than a picture shows. Tables may fill up without such a path, so it tries some streams.
func (o Options) chooseKeys() []string {
	slots := o.Buckets * o.BucketSize
	for stream := range uint64(16) {
		m, _ := NewMachine(o.Config) // which was made before
		keys := randomKeys(o.Seed, stream, o.Fill+2*slots)
		for n, key := range keys {
			s := m.Insert(key)
			if kicks := s.Kicks(); n >= o.Fill && kicks > 1 && kicks <= drawnKicks {
				return keys[:n+1]
			}
		}
	}
	return randomKeys(o.Seed, 0, o.Fill+slots)
}
