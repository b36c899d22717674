package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// choose returns n over k.
func choose(n, k uint64) uint64 {
	c := uint64(1)
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}

// eachTuple visits all rising tuples of four prefixes.
func eachTuple(visit func(a, b, c, d uint64)) {
	for d := range uint64(16) {
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					visit(a, b, c, d)
				}
			}
		}
	}
}

// TestIndex_IsTheCombinatorialRank holds the tables against the binomial coefficients.
func TestIndex_IsTheCombinatorialRank(t *testing.T) {
	tuples := 0
	eachTuple(func(a, b, c, d uint64) {
		tuples++
		want := choose(a, 1) + choose(b+1, 2) + choose(c+2, 3) + choose(d+3, 4)
		if got := a + uint64(pairs[b]) + uint64(triples[c]) + uint64(quadruples[d]); got != want {
			t.Fatalf("index of %d %d %d %d is %d, want %d", a, b, c, d, got, want)
		}
		if got := uint64(prefixes[want]); got != a|b<<4|c<<8|d<<12 {
			t.Fatalf("index %d stands for %04x, want %d %d %d %d", want, got, a, b, c, d)
		}
	})
	if tuples != 3876 {
		t.Errorf("%d tuples, want 3876", tuples)
	}
	if !slices.Equal(prefixes[3876:], make([]uint16, 4096-3876)) {
		t.Error("an index that no tuple has stands for something")
	}
}

// sortedTable returns a table of three buckets, random ones on both sides of an empty one.
func sortedTable(width uint, r *rand.Rand) Table {
	tab := SemiSorted.New(width, 4, 3)
	for lane := range uint(sortedLanes) {
		tab.Swap(0, lane, r.Uint64()&tab.mask)
		tab.Swap(2, lane, r.Uint64()&tab.mask)
	}
	return tab
}

// bucketBitsOf returns the bits of a bucket, read one by one.
func bucketBitsOf(tab *Table, bucket uint64) (found [2]uint64) {
	for k := range tab.bucketBits {
		bit := bucket*tab.bucketBits + k
		found[k/64] |= uint64(tab.data[bit/8]>>(bit%8)&1) << (k % 64)
	}
	return found
}

// TestSorted_EveryTupleAtEveryWidth writes all 3876 prefix tuples, in a random order of the lanes, and
// holds the bits against the layout as documented, the neighbors unchanged, and every query.
func TestSorted_EveryTupleAtEveryWidth(t *testing.T) {
	for width := uint(MinSortedWidth); width <= MaxSortedWidth; width++ {
		if testing.Short() && width%4 != 1 {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(width), 0x5eed))
		tab := sortedTable(width, r)
		left, right := bucketBitsOf(&tab, 0), bucketBitsOf(&tab, 2)
		rest := width - PrefixBits
		eachTuple(func(a, b, c, d uint64) {
			m := &model{b: sortedLanes, lanes: make([]uint64, 3*sortedLanes)}
			for lane := range uint(sortedLanes) {
				m.lanes[lane], m.lanes[8+lane] = tab.Read(0, lane), tab.Read(2, lane)
			}
			tuple := m.bucket(1)
			for k, prefix := range []uint64{a, b, c, d} {
				tuple[k] = prefix<<rest | r.Uint64()&(1<<rest-1)
			}
			writeBucket(&tab, 1, tuple, r)
			slices.Sort(tuple)
			checkSorted(t, &tab, m, 1)
			if got, want := bucketBitsOf(&tab, 1), layout(tuple, width); got != want {
				t.Fatalf("width %d, lanes %x: bits %x, want %x", width, tuple, got, want)
			}
		})
		if bucketBitsOf(&tab, 0) != left || bucketBitsOf(&tab, 2) != right {
			t.Fatalf("width %d: a write reached another bucket", width)
		}
		if pad := tab.data[len(tab.data)-Padding:]; !bytes.Equal(pad, make([]byte, Padding)) {
			t.Fatalf("width %d: padding written: %x", width, pad)
		}
	}
}

// TestSorted_DocumentedExample holds the example of docs/FORMAT.md.
func TestSorted_DocumentedExample(t *testing.T) {
	tab := SemiSorted.New(12, 4, 1)
	for _, v := range []uint64{0xabc, 0x123, 0x001} {
		tab.Push(0, 0, v)
	}
	want := []byte{0xcc, 0x02, 0x10, 0x30, 0xc2, 0x0b, 0, 0, 0, 0, 0, 0, 0, 0}
	if !bytes.Equal(tab.Data(), want) {
		t.Errorf("%x, want %x", tab.Data(), want)
	}
}

// writeBucket empties a bucket and fills it in a random order.
func writeBucket(tab *Table, bucket uint64, values []uint64, r *rand.Rand) {
	for range sortedLanes {
		tab.Swap(bucket, sortedLanes-1, 0)
	}
	for _, k := range r.Perm(sortedLanes) {
		tab.Swap(bucket, 0, values[k]) // the lowest lane is empty as long as one is
	}
}

// layout returns the bits of a bucket of rising values as the documentation has them.
func layout(v []uint64, width uint) (found [2]uint64) {
	rest := width - PrefixBits
	put := func(at, n uint, x uint64) {
		for k := range n {
			found[(at+k)/64] |= x >> k & 1 << ((at + k) % 64)
		}
	}
	index := choose(v[0]>>rest, 1) + choose(v[1]>>rest+1, 2) + choose(v[2]>>rest+2, 3) + choose(v[3]>>rest+3, 4)
	put(0, IndexBits, index)
	for lane, value := range v {
		put(IndexBits+uint(lane)*rest, rest, value)
	}
	return found
}

// checkSorted holds every query of one bucket against the model, for what it holds, for near misses of
// that and for the ends.
func checkSorted(t *testing.T, tab *Table, m *model, i uint64) {
	t.Helper()
	if got := tab.ReadAll(i, new([MaxLanes]uint64)); !slices.Equal(got, m.bucket(i)) {
		t.Fatalf("width %d, bucket %x: ReadAll gives %x", tab.Width(), m.bucket(i), got)
	}
	asked := []uint64{0, 1, tab.mask}
	for lane, v := range m.bucket(i) {
		if got := tab.Read(i, uint(lane)); got != v {
			t.Fatalf("width %d, bucket %x: lane %d is %#x", tab.Width(), m.bucket(i), lane, got)
		}
		asked = append(asked, v, v^1, v^(tab.mask/2+1), v^1<<(tab.sorted.rest-1), v^1<<tab.sorted.rest)
	}
	for _, v := range asked {
		first, count := slices.Index(m.bucket(i), v), 0
		for _, lane := range m.bucket(i) {
			if lane == v {
				count++
			}
		}
		lane, ok := tab.Find(i, v)
		if ok != (first >= 0) || ok && int(lane) != first {
			t.Fatalf("width %d, bucket %x: Find(%#x) = %d, %t, want %d", tab.Width(), m.bucket(i), v, lane, ok, first)
		}
		if tab.Has(i, v) != ok || tab.HasEither(i, i, v) != ok {
			t.Fatalf("width %d, bucket %x: Has(%#x) = %t, HasEither %t", tab.Width(), m.bucket(i), v, tab.Has(i, v), tab.HasEither(i, i, v))
		}
		other := (i + 1) % tab.Buckets()
		if either := ok || slices.Contains(m.bucket(other), v); tab.HasEither(i, other, v) != either || tab.HasEither(other, i, v) != either {
			t.Fatalf("width %d, buckets %x, %x: HasEither(%#x) is not %t", tab.Width(), m.bucket(i), m.bucket(other), v, either)
		}
		if got := tab.Count(i, v); got != count {
			t.Fatalf("width %d, bucket %x: Count(%#x) = %d, want %d", tab.Width(), m.bucket(i), v, got, count)
		}
	}
}

// sortedOp makes one change of a table and the same of the model.
func sortedOp(t *testing.T, tab *Table, m *model, op uint8, i uint64, lane uint, v uint64) {
	t.Helper()
	bucket := m.bucket(i)
	before := bytes.Clone(tab.data)
	old := bucket[lane]
	switch op % 3 {
	case 0:
		got, at := tab.Swap(i, lane, v)
		bucket[lane] = v
		slices.Sort(bucket)
		if got != old || bucket[at] != v {
			t.Fatalf("width %d: Swap(%d, %d, %#x) = %#x, %d, want %#x and its lane in %x", tab.Width(), i, lane, v, got, at, old, bucket)
		}
		after := bytes.Clone(tab.data)
		if back, _ := tab.Swap(i, at, old); back != v || !bytes.Equal(before, tab.data) {
			t.Fatalf("width %d: Swap(%d, %d, %#x) was not taken back: %#x", tab.Width(), i, lane, v, back)
		}
		copy(tab.data, after)
	case 1:
		other := bucket[(lane+1)%sortedLanes]
		if !tab.Replace(i, other, v) {
			t.Fatalf("width %d: Replace(%d, %#x, %#x) found nothing in %x", tab.Width(), i, other, v, bucket)
		}
		bucket[(lane+1)%sortedLanes] = v
	case 2:
		v = max(v, 1)
		got := tab.Push(i, lane, v)
		at := slices.Index(bucket, got)
		if at < 0 || bucket[0] == 0 && got != 0 {
			t.Fatalf("width %d: Push(%d, %d, %#x) = %#x of %x", tab.Width(), i, lane, v, got, bucket)
		}
		bucket[at] = v
	}
	slices.Sort(bucket)
}

// FuzzSorted runs changes on a semi-sorted table and on a sorted slice.
func FuzzSorted(f *testing.F) {
	for width := uint8(5); width <= 32; width++ {
		ops := make([]byte, 400)
		r := rand.New(rand.NewPCG(uint64(width), 1))
		for k := range ops {
			ops[k] = byte(r.Uint32())
		}
		f.Add(width, ops)
	}
	f.Fuzz(func(t *testing.T, width uint8, ops []byte) {
		const buckets = 5
		tab := SemiSorted.New(MinSortedWidth+uint(width)%(MaxSortedWidth-MinSortedWidth+1), 4, buckets)
		m := &model{lanes: make([]uint64, buckets*sortedLanes), b: sortedLanes}
		for ; len(ops) >= 8; ops = ops[8:] {
			v := uint64(binary.LittleEndian.Uint32(ops[4:])) >> (ops[3] % 32) & tab.mask
			i := uint64(ops[1]) % buckets
			sortedOp(t, &tab, m, ops[0], i, uint(ops[2])%sortedLanes, v)
			checkSorted(t, &tab, m, i)
		}
		if !tab.Replace(0, m.lanes[2], 7) || tab.Replace(1, missing(m.bucket(1)), 7) {
			t.Error("Replace did not tell what it did")
		}
	})
}

// missing returns a value that a bucket does not hold.
func missing(bucket []uint64) (v uint64) {
	for slices.Contains(bucket, v) {
		v++
	}
	return v
}

// TestSemiSorted_IsABitALaneLess compares the sizes of both layouts.
func TestSemiSorted_IsABitALaneLess(t *testing.T) {
	for width := uint(MinSortedWidth); width <= MaxSortedWidth; width++ {
		size, ok := SemiSorted.Size(width, 4, 1000)
		if want := int(1000*(width-1)/2) + Padding; !ok || size != want {
			t.Errorf("width %d: %d bytes, %t, want %d", width, size, ok, want)
		}
		tab := SemiSorted.New(width, 4, 1000)
		if len(tab.Data()) != size || tab.Width() != width || tab.Lanes() != 4 || tab.Layout != Sorted {
			t.Errorf("width %d: %d bytes, %d lanes of %d bits, layout %d", width, len(tab.Data()), tab.Lanes(), tab.Width(), tab.Layout)
		}
	}
	if _, ok := SemiSorted.Size(32, 4, 1<<60); ok {
		t.Error("2^67 bits have a size")
	}
}

func TestSemiSorted_BadShapePanics(t *testing.T) {
	for _, c := range [][2]uint64{{4, 1}, {33, 1}, {8, 0}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("SemiSorted.New(%v) did not panic", c)
				}
			}()
			SemiSorted.New(uint(c[0]), 4, c[1])
		})
	}
}
