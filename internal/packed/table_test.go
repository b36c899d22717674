package packed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// shapes visits every lane width with bucket sizes that are powers of two, odd, and large.
func shapes(visit func(width, lanes uint)) {
	for width := uint(1); width <= MaxWidth; width++ {
		for _, lanes := range []uint{1, 2, 3, 4, 5, 7, 8, 13, 16, 64, 255} {
			visit(width, lanes)
		}
	}
}

// model is the table as a slice of lanes.
type model struct {
	lanes []uint64
	b     int
}

func (m *model) bucket(i uint64) []uint64 { return m.lanes[int(i)*m.b:][:m.b] }

// checkBucket holds every query of one bucket against the model.
func checkBucket(t *testing.T, tab *Table, m *model, i, v uint64) {
	t.Helper()
	first, count := -1, 0
	for s, got := range m.bucket(i) {
		if g := tab.Get(i, uint(s)); g != got {
			t.Fatalf("width %d, %d lanes: Get(%d, %d) = %#x, want %#x", tab.Width(), tab.Lanes(), i, s, g, got)
		}
		if got == v {
			count++
			if first < 0 {
				first = s
			}
		}
	}
	lane, ok := tab.Find(i, v)
	if ok != (first >= 0) || ok && int(lane) != first {
		t.Fatalf("width %d, %d lanes: Find(%d, %#x) = %d, %t, want %d", tab.Width(), tab.Lanes(), i, v, lane, ok, first)
	}
	if got := tab.Has(i, v); got != ok {
		t.Fatalf("width %d, %d lanes: Has(%d, %#x) = %t", tab.Width(), tab.Lanes(), i, v, got)
	}
	if got := tab.Count(i, v); got != count {
		t.Fatalf("width %d, %d lanes: Count(%d, %#x) = %d, want %d", tab.Width(), tab.Lanes(), i, v, got, count)
	}
}

// TestTable_AgainstModel writes random lanes at every shape and reads everything back, so that a
// write which touched a neighbour is seen.
func TestTable_AgainstModel(t *testing.T) {
	shapes(func(width, lanes uint) {
		const buckets = 9
		r := rand.New(rand.NewPCG(uint64(width), uint64(lanes)))
		tab := Plain.New(width, lanes, buckets)
		m := &model{lanes: make([]uint64, buckets*lanes), b: int(lanes)}
		steps := 6 * int(lanes)
		for range steps {
			i, s := r.Uint64N(buckets), r.UintN(lanes)
			v := r.Uint64() & tab.mask
			if r.IntN(3) == 0 {
				v = min(v, r.Uint64N(3)) // zeros and ones, where lane arithmetic can go wrong
			}
			tab.Set(i, s, v)
			m.bucket(i)[s] = v
		}
		for i := range uint64(buckets) {
			checkBucket(t, &tab, m, i, 0)
			checkBucket(t, &tab, m, i, 1)
			checkBucket(t, &tab, m, i, m.bucket(i)[lanes-1])
		}
		if pad := tab.Data()[len(tab.Data())-Padding:]; !bytes.Equal(pad, make([]byte, Padding)) {
			t.Fatalf("width %d, %d lanes: padding written: %x", width, lanes, pad)
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add(uint8(12), uint8(4), []byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add(uint8(31), uint8(8), []byte{250, 1, 9, 3, 4, 5, 200, 7, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, width, lanes uint8, ops []byte) {
		w, b := uint(width)%MaxWidth+1, uint(lanes)%MaxLanes+1
		const buckets = 5
		tab := Plain.New(w, b, buckets)
		m := &model{lanes: make([]uint64, buckets*b), b: int(b)}
		for len(ops) >= 4 {
			i, s := uint64(ops[0])%buckets, uint(ops[1])%b
			v := (uint64(ops[2]) * 0x0101_0101_0101_0101 >> (ops[3] % 64)) & tab.mask
			ops = ops[4:]
			tab.Set(i, s, v)
			m.bucket(i)[s] = v
			checkBucket(t, &tab, m, i, v)
			checkBucket(t, &tab, m, i, 0)
		}
	})
}

// TestTable_LastGroupFitsAWord checks the claim behind the grouping: from the worst bit offset on,
// one load covers the whole group.
func TestTable_LastGroupFitsAWord(t *testing.T) {
	shapes(func(width, lanes uint) {
		tab := Plain.New(width, lanes, 1)
		for bucket := range uint64(8) {
			for g := range uint64(tab.groups) {
				offset := (bucket*tab.bucketBits + g*tab.groupBits) & 7
				held := tab.groupBits
				if g == uint64(tab.groups)-1 {
					held = tab.bucketBits - g*tab.groupBits
				}
				if offset+held > 64 {
					t.Fatalf("width %d, %d lanes: group %d of bucket %d needs bits %d..%d of a word",
						width, lanes, g, bucket, offset, offset+held)
				}
			}
		}
	})
}

// TestTable_GroupsAreFew pins the number of loads at the shapes that filters use most, and the layout that it makes.
func TestTable_GroupsAreFew(t *testing.T) {
	if layout := new(Table).Layout; layout != None {
		t.Errorf("the zero Table has layout %d", layout)
	}
	for _, c := range []struct{ width, lanes, groups uint }{
		{12, 4, 1}, {8, 4, 1}, {16, 4, 1}, {15, 4, 1}, {17, 4, 2}, {32, 4, 2}, {31, 4, 4},
		{8, 8, 1}, {7, 8, 1}, {9, 8, 2}, {12, 8, 2}, {16, 8, 2}, {30, 2, 1}, {31, 2, 2}, {32, 2, 1}, {32, 1, 1}, {31, 1, 1},
	} {
		if tab := Plain.New(c.width, c.lanes, 1); tab.groups != c.groups || (tab.Layout == Word) != (c.groups == 1) || (tab.Layout == Wide) != (c.groups > 1) {
			t.Errorf("width %d, %d lanes: %d groups, layout %d, want %d groups", c.width, c.lanes, tab.groups, tab.Layout, c.groups)
		}
	}
}

func TestSize_Overflow(t *testing.T) {
	if _, ok := Plain.Size(32, 8, 1<<60); ok {
		t.Error("2^68 bits have a size")
	}
	if _, ok := Plain.Size(32, 8, 1<<58); ok {
		t.Error("2^66 bits have a size")
	}
	if size, ok := Plain.Size(12, 4, 1000); !ok || size != 6000+Padding {
		t.Errorf("Plain.Size(12, 4, 1000) = %d, %t", size, ok)
	}
}

func TestNew_BadShapePanics(t *testing.T) {
	for _, c := range [][3]uint{{0, 4, 1}, {58, 1, 1}, {8, 0, 1}, {8, 256, 1}, {8, 4, 0}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("Plain.New(%v) did not panic", c)
				}
			}()
			Plain.New(c[0], c[1], uint64(c[2]))
		})
	}
}

func TestClone_IsSeparate(t *testing.T) {
	a := Plain.New(12, 4, 3)
	a.Set(1, 2, 0xabc)
	b := a.Clone()
	b.Set(1, 2, 0xdef)
	if a.Get(1, 2) != 0xabc || b.Get(1, 2) != 0xdef {
		t.Errorf("clone shares lanes: %#x, %#x", a.Get(1, 2), b.Get(1, 2))
	}
	a.Reset()
	if a.Get(1, 2) != 0 || b.Get(1, 2) != 0xdef {
		t.Error("Reset reached the clone")
	}
}
