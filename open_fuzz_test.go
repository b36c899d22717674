package nest_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// opened is the filter that was opened last, of whatever kind.
type opened struct{ nest.Filter }

func (o *opened) UnmarshalBinary(b []byte) error { return o.take(nest.Open(b)) }

func (o *opened) ReadFrom(r io.Reader) (int64, error) {
	c := &counted{r: r}
	err := o.take(nest.Read(c))
	return c.n, err
}

// take takes the filter over, unless there is an error instead.
func (o *opened) take(f nest.Filter, err error) error {
	if err == nil {
		o.Filter = f
	}
	return err
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// openedFiles returns how files of all kinds are checked.
func openedFiles(t testing.TB) filetest.Type[*opened] {
	return filetest.Type[*opened]{
		Own: func() *opened {
			f, err := nest.New(nest.Spec{Kind: nest.Bloom, Slots: 64, Hashes: 2})
			if err == nil {
				err = f.InsertHash(1)
			}
			if err != nil {
				t.Fatal(err)
			}
			return &opened{f}
		},
		View: func(b []byte) (filetest.View, error) { return nest.OpenView(b) },
		Rates: func(v filetest.View) (load, rate float64) {
			s := v.(nest.View).ScanStats()
			return s.LoadFactor, s.FalsePositiveRate
		},
		Use: useOpened,
	}
}

// useOpened runs the verbs of a filter against what they promise.
func useOpened(o *opened) error {
	hs := []uint64{0, 1, 1 << 63, ^uint64(0), hashing.Mix64(1)}
	dst := make([]bool, len(hs))
	n, err := o.InsertHashes(hs)
	o.ContainsHashes(hs, dst)
	if err != nil && !errors.Is(err, nest.ErrFull) || (err == nil) != (n == len(hs)) {
		return fmt.Errorf("%d of %d were inserted: %w", n, len(hs), err)
	}
	for i, there := range dst[:n] {
		if !there {
			return fmt.Errorf("digest %#x was inserted and is not there", hs[i])
		}
	}
	if d, ok := o.Filter.(nest.Deleter); ok {
		if deleted := d.DeleteHashes(hs[:n]); deleted != n {
			return fmt.Errorf("%d digests were inserted, %d could be deleted", n, deleted)
		}
	}
	if err := o.Merge(o.Filter); err != nil && !errors.Is(err, nest.ErrFull) && o.Spec().Kind != nest.Fuse {
		return fmt.Errorf("merging with itself: %w", err)
	}
	_ = fmt.Sprint(o.Filter, o.Spec(), o.ScanStats())
	return nil
}

// FuzzOpen opens whatever it is given. The seeds have every type and layout, and every width.
func FuzzOpen(f *testing.F) {
	small(f, func(_ string, b []byte) { f.Add(b) })
	for bits := range 32 {
		o := &opened{}
		made, err := nest.New(nest.Spec{Kind: nest.Cuckoo, FingerprintBits: bits + 1, BucketSize: 1 << (bits % 4),
			Slots: 24})
		if err := o.take(made, err); err != nil {
			f.Fatal(err)
		}
		if _, err := o.InsertHashes([]uint64{hashing.Mix64(5), hashing.Mix64(6), 0}); err != nil {
			f.Fatal(err)
		}
		b, err := o.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := openedFiles(t).Check(b); err != nil {
			t.Fatal(err)
		}
	})
}
