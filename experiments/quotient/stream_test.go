package quotient

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// random returns a filter of the configuration with n random fingerprints, and its oracle. Half of
// the quotients are among the last, so that runs go over the end of the table.
func random(tb testing.TB, c Config, n int, rng *rand.Rand) (*Filter, model) {
	tb.Helper()
	f, m := mustNew(tb, c), model{}
	width := f.QuotientBits() + f.RemainderBits()
	for range n {
		fp := rng.Uint64() >> (64 - width)
		if rng.IntN(2) == 0 {
			fp |= 3 << (width - 2) & (^uint64(0) >> (64 - width))
		}
		if err := f.InsertHash(digest(f, fp, rng)); err != nil {
			tb.Fatal(err)
		}
		m.add(fp, 1)
	}
	return f, m
}

func TestMerge_AgainstOracle(t *testing.T) {
	const seed = 11
	for q := 1; q <= 7; q++ {
		for _, r := range []int{1, 2, 9, 57} {
			rng := rand.New(rand.NewPCG(seed, uint64(q*r)))
			c := Config{QuotientBits: q, RemainderBits: r, MaxLoad: 1}
			for range 30 {
				n := rng.IntN(1<<q + 1)
				f, m := random(t, c, n, rng)
				g, others := random(t, c, rng.IntN(1<<q-n+1), rng)
				before := g.Clone()
				if err := f.Merge(g); err != nil {
					t.Fatal(err)
				}
				for fp, count := range others {
					m.add(fp, count)
				}
				agree(t, f, m)
				if !g.Equal(before) || g.Len() != before.Len() {
					t.Fatalf("seed %d: Merge changed its argument", seed)
				}
			}
		}
	}
}

func TestMerge_WithItself(t *testing.T) {
	f, m := random(t, Config{QuotientBits: 5, RemainderBits: 3, MaxLoad: 1}, 16, rand.New(rand.NewPCG(1, 1)))
	if err := f.Merge(f); err != nil {
		t.Fatal(err)
	}
	for fp := range m {
		m[fp] *= 2
	}
	agree(t, f, m)
}

func TestMerge_RefusalsLeaveUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	c := Config{QuotientBits: 4, RemainderBits: 8}
	f, m := random(t, c, 8, rng)
	for _, other := range []struct {
		c    Config
		n    int
		want error
	}{
		{c, 7, ErrFull},
		{Config{QuotientBits: 5, RemainderBits: 7}, 1, ErrMismatch},
		{Config{QuotientBits: 4, RemainderBits: 9}, 1, ErrMismatch},
		{Config{QuotientBits: 4, RemainderBits: 8, Hash: hashing.XXH64(1)}, 1, ErrMismatch},
	} {
		g, _ := random(t, other.c, other.n, rng)
		if err := f.Merge(g); !errors.Is(err, other.want) {
			t.Errorf("Merge with %v: %v, want %v", g, err, other.want)
		}
		agree(t, f, m)
	}
}

// TestResize_AgainstOracle: the fingerprints stay as they are, so the oracle is that of before.
func TestResize_AgainstOracle(t *testing.T) {
	const seed = 13
	for q := 1; q <= 6; q++ {
		for _, r := range []int{2, 3, 8, 40} {
			rng := rand.New(rand.NewPCG(seed, uint64(q*r)))
			for range 20 {
				f, m := random(t, Config{QuotientBits: q, RemainderBits: r, MaxLoad: 1}, rng.IntN(1<<q+1), rng)
				rate := f.FalsePositiveRate()
				for to := 1; to <= 9; to++ {
					before, was := f.Clone(), f.QuotientBits()
					err := f.Resize(to)
					switch {
					case q+r-to < 1:
						if !errors.Is(err, ErrConfig) {
							t.Fatalf("%v: Resize(%d): %v", f, to, err)
						}
					case f.Len() > 1<<to:
						if !errors.Is(err, ErrFull) {
							t.Fatalf("%v: Resize(%d): %v", f, to, err)
						}
					case err != nil:
						t.Fatal(err)
					}
					if err != nil && (!f.Equal(before) || f.QuotientBits() != was) {
						t.Fatalf("seed %d: a refused Resize changed %v", seed, f)
					}
					agree(t, f, m)
					if f.FalsePositiveRate() != rate {
						t.Fatalf("the rate was %v and is %v", rate, f.FalsePositiveRate())
					}
				}
			}
		}
	}
}

// TestResize_KeysAreFound grows a filter as a program would, whenever it is full, and goes on with verbs.
func TestResize_KeysAreFound(t *testing.T) {
	f := mustNew(t, Config{QuotientBits: 1, RemainderBits: 30})
	const n = 3000
	for k := range uint64(n) {
		h := hashing.Mix64(k)
		err := f.InsertHash(h)
		if errors.Is(err, ErrFull) {
			if err = f.Resize(f.QuotientBits() + 1); err == nil {
				err = f.InsertHash(h)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for k := range uint64(n) {
		if !f.DeleteHash(hashing.Mix64(k)) {
			t.Fatalf("key %d of %d is lost in %v", k, n, f)
		}
	}
	if f.Len() != 0 || f.QuotientBits() != 12 {
		t.Errorf("%v after all deletes", f)
	}
}

func TestResize_Limits(t *testing.T) {
	f := mustNew(t, Config{QuotientBits: 3, RemainderBits: 61, MaxBytes: 100})
	if err := f.Resize(2); !errors.Is(err, ErrConfig) {
		t.Errorf("a remainder of 62 bits: %v", err)
	}
	if err := f.Resize(4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a table beyond MaxBytes: %v", err)
	}
	if err := f.Resize(0); !errors.Is(err, ErrConfig) {
		t.Errorf("no quotient: %v", err)
	}
}

func TestAll_StopsWhenAsked(t *testing.T) {
	f, _ := random(t, Config{QuotientBits: 4, RemainderBits: 8}, 10, rand.New(rand.NewPCG(3, 3)))
	seen := 0
	for range f.All() {
		if seen++; seen == 4 {
			break
		}
	}
	if seen != 4 {
		t.Errorf("%d fingerprints were listed", seen)
	}
}

func TestClone_IsSeparate(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	f, m := random(t, Config{QuotientBits: 6, RemainderBits: 8}, 30, rng)
	g, of := f.Clone(), maps.Clone(m)
	for range 20 {
		fp := rng.Uint64N(1 << 14)
		step(t, g, of, rng.IntN(3), fp, digest(g, fp, rng))
	}
	agree(t, f, m)
	agree(t, g, of)
	f.Reset()
	agree(t, f, model{})
	agree(t, g, of)
	if fresh := mustNew(t, f.Config()); !f.Equal(fresh) || fmt.Sprint(f) != fmt.Sprint(fresh) || fmt.Sprintf("%#v", f) != f.String() {
		t.Errorf("%v after Reset, a fresh filter is %v", f, fresh)
	}
}
