package quotient

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A model is the exact oracle: how often each fingerprint, of q+r bits, is stored.
type model map[uint64]int

// sorted returns the multiset in ascending order.
func (m model) sorted() (fps []uint64) {
	for _, fp := range slices.Sorted(maps.Keys(m)) {
		for range m[fp] {
			fps = append(fps, fp)
		}
	}
	return fps
}

func (m model) add(fp uint64, n int) {
	if m[fp] += n; m[fp] == 0 {
		delete(m, fp)
	}
}

// layout returns the slots that hold the fingerprints, which are in ascending order, by the definition: every remainder
// stands in its canonical slot or behind the one before it. It shares nothing with the code under test.
func layout(fps []uint64, q, r int) []uint64 {
	n := 1 << q
	table, quotients := make([]uint64, n), make([]int, n)
	for _, fp := range fps {
		quotients[fp>>r]++
		table[fp>>r] |= occupied
	}
	// Twice around, and what is pushed over the end of the table is known.
	pushed, begin := 0, 0
	for i := range 2 * n {
		if pushed == 0 {
			begin = i % n
		}
		pushed = max(0, pushed+quotients[i%n]-1)
	}
	// Where nothing is pushed into begin, the fingerprints from there on are a queue.
	first, _ := slices.BinarySearchFunc(fps, begin, func(fp uint64, q int) int { return cmp.Compare(int(fp>>r), q) })
	slot, last := 0, -1
	for k := range fps {
		fp := fps[(first+k)%len(fps)]
		home := (int(fp>>r) - begin + n) % n
		slot = max(slot, home)
		x := fp & (1<<r - 1) << metadataBits
		if home == last {
			x |= continuation
		}
		if slot != home {
			x |= shifted
		}
		table[(begin+slot)%n] |= x
		slot, last = slot+1, home
	}
	return table
}

func (f *Filter) quotientBits() int { return digestBits - int(f.shift) }

func (f *Filter) remainderBits() int { return int(f.bits) }

// String is what failures call a filter.
func (f *Filter) String() string {
	return fmt.Sprintf("filter{%d+%d bits, %d keys}", f.quotientBits(), f.bits, f.len)
}

// table returns the slots of a filter.
func table(f *Filter) []uint64 {
	out := make([]uint64, f.Slots())
	for i := range out {
		out[i] = f.slots.get(uint64(i))
	}
	return out
}

// digest returns a digest of the fingerprint. The bits that a filter does not look at are random.
func digest(f *Filter, fp uint64, rng *rand.Rand) uint64 {
	unused := digestBits - f.quotientBits() - f.remainderBits()
	return fp<<unused | rng.Uint64()&(1<<unused-1)
}

// agree holds a whole filter against the oracle: table and number.
func agree(t testing.TB, f *Filter, m model) {
	t.Helper()
	fps := m.sorted()
	if got, want := table(f), layout(fps, f.quotientBits(), f.remainderBits()); !slices.Equal(got, want) {
		t.Fatalf("%v: table\n%x, want\n%x", f, got, want)
	}
	if pad := f.slots.words[len(f.slots.words)-1]; pad != 0 && f.slots.width*(f.slots.last+1)%64 == 0 {
		t.Fatalf("%v: the word behind the table is %#x", f, pad)
	}
	if f.Len() != len(fps) {
		t.Fatalf("%d fingerprints, want %d", f.Len(), len(fps))
	}
}

// ask holds the answers about one fingerprint against the oracle.
func ask(t testing.TB, f *Filter, m model, fp, h uint64) {
	t.Helper()
	if got, want := f.ContainsHash(h), m[fp]; got != (want > 0) {
		t.Fatalf("%v: fingerprint %#x: Contains %t, want %d copies", f, fp, got, want)
	}
}

func mustNew(tb testing.TB, c Config) *Filter {
	tb.Helper()
	f, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// of returns the filter of a multiset, whose table the oracle wrote.
func of(tb testing.TB, c Config, fps []uint64) *Filter {
	f := mustNew(tb, c)
	for i, x := range layout(fps, c.QuotientBits, c.RemainderBits) {
		f.slots.set(uint64(i), x)
	}
	f.len = uint64(len(fps))
	return f
}
