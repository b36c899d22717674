package bloom

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// claiming returns the file with another Len.
func claiming(b []byte, n uint64) []byte {
	binary.LittleEndian.PutUint64(b[container.LenAt:], n)
	filetest.Reseal(b)
	return b
}

// TestLen_EndsAtMaxInt reads files that claim the largest Len, inserts and merges: Len stays, and the file can be read.
func TestLen_EndsAtMaxInt(t *testing.T) {
	type filter interface {
		Len() int
		InsertHash(uint64)
		InsertHashes([]uint64)
		InsertUniqueHash(uint64) bool
		MarshalBinary() ([]byte, error)
		UnmarshalBinary([]byte) error
	}
	classic, err1 := New(Config{Capacity: 100, FalsePositiveRate: 0.01})
	blocked, err2 := NewBlocked(Config{Capacity: 100, FalsePositiveRate: 0.01})
	split, err3 := NewSplitBlock(Config{Capacity: 100, FalsePositiveRate: 0.01})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	for name, c := range map[string]struct {
		f     filter
		merge func() error
	}{
		"Filter":     {classic, func() error { return classic.Merge(classic.Clone()) }},
		"Blocked":    {blocked, func() error { return blocked.Merge(blocked.Clone()) }},
		"SplitBlock": {split, func() error { return split.Merge(split.Clone()) }},
	} {
		for step, do := range map[string]func() error{
			"InsertHash":       func() error { c.f.InsertHash(1 << 40); return nil },
			"InsertHashes":     func() error { c.f.InsertHashes([]uint64{2, 3}); return nil },
			"InsertUniqueHash": func() error { c.f.InsertUniqueHash(0x123456789abcdef); return nil },
			"Merge":            c.merge,
		} {
			b, err := c.f.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.f.UnmarshalBinary(claiming(b, math.MaxInt)); err != nil {
				t.Fatal(err)
			}
			if err := do(); err != nil || c.f.Len() != math.MaxInt {
				t.Errorf("%s: Len is %d after %s: %v", name, c.f.Len(), step, err)
			}
			if b, err = c.f.MarshalBinary(); err == nil {
				err = c.f.UnmarshalBinary(b)
			}
			if err != nil {
				t.Errorf("%s: after %s the file cannot be read: %v", name, step, err)
			}
		}
	}
}
