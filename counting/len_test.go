package counting

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
		MarshalBinary() ([]byte, error)
		UnmarshalBinary([]byte) error
	}
	f, err1 := New(Config{Capacity: 100, FalsePositiveRate: 0.01})
	d, err2 := NewDLeft(DLeftConfig{Capacity: 100, FalsePositiveRate: 0.01})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	f.InsertHash(7 << 40)
	if err := d.InsertHash(7 << 40); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f  filter
		do func() error
	}{
		"Filter.InsertHash":   {f, func() error { f.InsertHash(1 << 40); return nil }},
		"Filter.InsertHashes": {f, func() error { f.InsertHashes([]uint64{2, 3}); return nil }},
		"Filter.Merge":        {f, func() error { return f.Merge(f.Clone()) }},
		"DLeft.InsertHash":    {d, func() error { return d.InsertHash(1 << 40) }},
		"DLeft.Merge":         {d, func() error { return d.Merge(d.Clone()) }},
	} {
		b, err := c.f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.f.UnmarshalBinary(claiming(b, math.MaxInt)); err != nil {
			t.Fatal(err)
		}
		if err := c.do(); err != nil || c.f.Len() != math.MaxInt {
			t.Errorf("%s: Len is %d: %v", name, c.f.Len(), err)
		}
		if b, err = c.f.MarshalBinary(); err == nil {
			err = c.f.UnmarshalBinary(b)
		}
		if err != nil {
			t.Errorf("%s: then the file cannot be read: %v", name, err)
		}
	}
}
