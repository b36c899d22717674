package kick

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// checkQuad inserts digests into two engines, one of which is left without kickQuad, and holds outcomes, statistics and tables to be
// equal after each. It returns how many inserts kickQuad made.
func checkQuad(t *testing.T, table func() packed.Table, rule Rule, limit int, hs func() (h uint64, ok bool)) (kicked int) {
	t.Helper()
	var quad, plain Engine
	m := table()
	quad.Init(m, NewScheme(rule, m.Buckets()), BreadthFirst, limit, 1)
	plain.Init(table(), quad.Scheme, BreadthFirst, limit, 1)
	if !quad.quads {
		t.Fatal("kickQuad does not serve the table")
	}
	plain.quads = false
	for n := 0; ; n++ {
		h, ok := hs()
		if !ok {
			return kicked
		}
		fp := fingerprint.Of(h, m.Width())
		i := fingerprint.Bucket(h, m.Buckets())
		j := quad.Scheme.Alternate(i, fp)
		got, want := Stored, plain.Insert(i, j, fp)
		if !quad.Table.Replace(i, 0, fp) && !quad.Table.Replace(j, 0, fp) {
			if kicks := quad.kickQuad(i, j, fp); kicks != 0 {
				got = quad.kicked(kicks)
				kicked++
			} else {
				got = quad.Kick(i, j, fp)
			}
		}
		if got != want || quad.Stats != plain.Stats {
			t.Fatalf("rule %d, %d buckets, width %d, limit %d, insert %d: outcome %d, %+v, want %d, %+v",
				rule, m.Buckets(), m.Width(), limit, n, got, quad.Stats, want, plain.Stats)
		}
		if !bytes.Equal(quad.Table.Data(), plain.Table.Data()) {
			t.Fatalf("rule %d, %d buckets, width %d, limit %d, insert %d: other bytes", rule, m.Buckets(), m.Width(), limit, n)
		}
	}
}

// TestKickQuad_FindsThePathsOfBreadthFirst fills tables beyond the first refusal. Few different keys bring the copies that are refused.
func TestKickQuad_FindsThePathsOfBreadthFirst(t *testing.T) {
	for _, width := range []uint{2, 4, 8, 10, 12, 16} {
		for _, m := range []uint64{1, 2, 3, 6, 7, 16, 64, 250} {
			for _, rule := range native {
				if !fits(rule, m) {
					continue
				}
				for _, limit := range []int{1, 2, 5, 6, 7, 30, 500} {
					r := rand.New(rand.NewPCG(m*100+uint64(width), uint64(limit)))
					left, keys := 5*m+40, 3*m+2
					kicked := checkQuad(t, func() packed.Table { return packed.New(width, 4, m) }, rule, limit, func() (uint64, bool) {
						left--
						return r.Uint64N(keys) * 0xd1342543de82ef95, left > 0
					})
					if m >= 64 && limit >= 30 && kicked == 0 {
						t.Errorf("width %d, %d buckets, rule %d, limit %d: kickQuad made no insert", width, m, rule, limit)
					}
				}
			}
		}
	}
	r, left := rand.New(rand.NewPCG(1, 2)), 4200
	checkQuad(t, func() packed.Table { return packed.NewWords(16, 1024) }, Additive, 500, func() (uint64, bool) {
		left--
		return r.Uint64(), left > 0
	})
}

// FuzzKickQuad is the test above with keys of two bytes each from the fuzzer.
func FuzzKickQuad(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	seed := make([]byte, 400)
	for k := range seed {
		seed[k] = byte(r.Uint32())
	}
	f.Add(seed, uint8(12), uint8(32), uint8(30), uint8(0))
	f.Add(seed, uint8(8), uint8(32), uint8(200), uint8(1))
	f.Add(seed[:100], uint8(2), uint8(7), uint8(6), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, width, buckets, limit, choice uint8) {
		m, rule := uint64(buckets)+1, native[int(choice)%len(native)]
		if !fits(rule, m) {
			rule = Additive
		}
		w := uint(width)%8*2 + 2
		checkQuad(t, func() packed.Table { return packed.New(w, 4, m) }, rule, int(limit)+1, func() (uint64, bool) {
			if len(data) < 2 {
				return 0, false
			}
			h := (uint64(data[0])<<8 | uint64(data[1])) * 0xd1342543de82ef95
			data = data[2:]
			return h, true
		})
	})
}
