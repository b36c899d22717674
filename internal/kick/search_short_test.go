package kick

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// checkShort inserts lanes into two engines, one of which makes room by find alone, and holds outcomes, kicks and tables to be
// equal after each. It returns how many inserts a short search made.
func checkShort(t *testing.T, table func() packed.Table, s Scheme, limit int, hs func() (h uint64, ok bool)) (short int) {
	t.Helper()
	var got, plain Engine
	got.Init(table(), s, BreadthFirst, limit, 1)
	plain.Init(table(), s, BreadthFirst, limit, 1)
	width, m := got.Table.Width(), got.Table.Buckets()
	for n := 0; ; n++ {
		h, ok := hs()
		if !ok {
			return short
		}
		fp := fingerprint.Of(h, min(width, 32))
		i := fingerprint.Bucket(h, m)
		j := s.Alternate(i, fp)
		full := got.Table.Count(i, 0)+got.Table.Count(j, 0) == 0
		if _, ok := got.findShort(i, j); ok && full {
			short++
		}
		want := plain.Table.Replace(i, 0, fp) || plain.Table.Replace(j, 0, fp)
		if !want {
			x, ok := plain.find(i, j, 0)
			if want = ok; ok {
				kicks := plain.shift(x, fp)
				plain.Stats.Kicks += kicks
			}
		}
		o := got.Insert(i, j, 0, fp)
		if (o == Stored) != want || got.Stats.Kicks != plain.Stats.Kicks {
			t.Fatalf("%d buckets, width %d, limit %d, insert %d: outcome %d, %+v, want %t, %+v",
				m, width, limit, n, o, got.Stats, want, plain.Stats)
		}
		if !bytes.Equal(got.Table.Data(), plain.Table.Data()) {
			t.Fatalf("%d buckets, width %d, limit %d, insert %d: other bytes", m, width, limit, n)
		}
	}
}

// TestFindShort_FindsThePathsOfFind fills tables beyond the first refusal. Few different keys bring the copies that are refused.
func TestFindShort_FindsThePathsOfFind(t *testing.T) {
	for _, shape := range []struct{ width, lanes uint }{
		{2, 4}, {8, 4}, {12, 4}, {16, 4}, {13, 4}, {12, 2}, {7, 1}, {12, 8}, {20, 4}, {40, 4}, {32, 8}, {9, 3}, {semi + 13, 4}, {semi + 25, 4},
	} {
		for _, m := range []uint64{1, 2, 3, 6, 7, 16, 64, 250} {
			for _, rule := range append(native, rules, rules+1) {
				s := Scheme{}
				switch {
				case rule == rules && m == 16:
					s = NewSides(3, 5)
				case rule == rules+1:
					s = NewScheme(Additive, m).Within(6)
				case rule != rules && fits(rule, m):
					s = NewScheme(rule, m)
				default:
					continue
				}
				for _, limit := range []int{1, 2, 5, 6, 7, 30, 500} {
					r := rand.New(rand.NewPCG(m*100+uint64(shape.width), uint64(limit)))
					left, keys := (5*m+40)*uint64(max(shape.lanes, 2))/4, 3*m+2
					short := checkShort(t, func() packed.Table { return tableOf(shape.width, shape.lanes, m) }, s, limit, func() (uint64, bool) {
						left--
						return r.Uint64N(keys) * 0xd1342543de82ef95, left > 0
					})
					if m >= 64 && limit >= 30 && short == 0 {
						t.Errorf("%+v, %d buckets, rule %d, limit %d: no short search made an insert", shape, m, rule, limit)
					}
				}
			}
		}
	}
	r, left := rand.New(rand.NewPCG(1, 2)), 4200
	checkShort(t, func() packed.Table { return packed.Words.New(16, 4, 1024) }, NewScheme(Additive, 1024), 500, func() (uint64, bool) {
		left--
		return r.Uint64(), left > 0
	})
}

// FuzzFindShort is the test above with keys of two bytes each from the fuzzer.
func FuzzFindShort(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	seed := make([]byte, 400)
	for k := range seed {
		seed[k] = byte(r.Uint32())
	}
	f.Add(seed, uint8(12), uint8(32), uint8(30), uint8(0), uint8(4))
	f.Add(seed, uint8(8), uint8(32), uint8(200), uint8(1), uint8(4))
	f.Add(seed[:100], uint8(2), uint8(7), uint8(6), uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, width, buckets, limit, choice, lanes uint8) {
		m, rule := uint64(buckets)+1, native[int(choice)%len(native)]
		if !fits(rule, m) {
			rule = Additive
		}
		w, b := uint(width)%32+1, uint(lanes)%8+1
		checkShort(t, func() packed.Table { return packed.Plain.New(w, b, m) }, NewScheme(rule, m), int(limit)+1, func() (uint64, bool) {
			if len(data) < 2 {
				return 0, false
			}
			h := (uint64(data[0])<<8 | uint64(data[1])) * 0xd1342543de82ef95
			data = data[2:]
			return h, true
		})
	})
}
