package kick

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// bulkShapes are small worlds of every rule and of buckets of one word and of several, in pieces of
// a few buckets: 61 buckets are no multiple of any piece.
var bulkShapes = []struct {
	rule         Rule
	width, lanes uint
	buckets      uint64
}{
	{Additive, 12, 4, 61}, {Additive, 12, 4, 1}, {Additive, 7, 8, 61}, {Additive, 32, 8, 61}, {Additive, 5, 1, 61},
	{Additive, semi + 12, 4, 61}, {XOR, semi + 13, 4, 64}, {PlainXOR, semi + 32, 4, 64},
	{XOR, 12, 4, 64}, {XOR, 13, 4, 64}, {XOR, 9, 2, 64}, {PlainXOR, 16, 4, 64},
}

func (r Rule) test(m uint64, width, lanes uint) *Engine {
	e := new(Engine)
	e.Init(tableOf(width, lanes, m), NewScheme(r, m), BreadthFirst, 700, 0)
	return e
}

// classes counts the fingerprints of each unordered pair of buckets.
func (e *Engine) classes() map[[3]uint64]int {
	found := map[[3]uint64]int{}
	for bucket := range e.Table.Buckets() {
		for lane := range e.Table.Lanes() {
			if fp := e.Table.Read(bucket, lane); fp != 0 {
				other := e.Scheme.Alternate(bucket, fp)
				found[[3]uint64{min(bucket, other), max(bucket, other), fp}]++
			}
		}
	}
	return found
}

// TestInsertBulk_StoresWhatOneByOneStores fills tables to rising loads and compares the classes in them.
func TestInsertBulk_StoresWhatOneByOneStores(t *testing.T) {
	for _, s := range bulkShapes {
		name := fmt.Sprintf("rule=%d/f=%d/b=%d/m=%d", s.rule, s.width, s.lanes, s.buckets)
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(50) {
				random := rand.New(rand.NewPCG(seed, 1))
				hs := make([]uint64, random.IntN(int(s.buckets)*int(s.lanes)+1))
				for k := range hs {
					hs[k] = random.Uint64()
				}
				e, one := s.rule.test(s.buckets, s.width, s.lanes), s.rule.test(s.buckets, s.width, s.lanes)
				stored, o := e.insertBulk(hs, 1+int(seed%3), 1+random.IntN(100), 8+random.IntN(64))
				if o != Stored {
					if stored < 0 || stored >= len(hs) {
						t.Fatalf("seed %d: outcome %d after %d of %d", seed, o, stored, len(hs))
					}
					continue
				}
				if stored != len(hs) {
					t.Fatalf("seed %d: %d of %d stored", seed, stored, len(hs))
				}
				for _, h := range hs {
					fp := fingerprint.Of(h, s.width%semi)
					i, j := one.Scheme.Pair(h, fp)
					if one.Insert(i, j, 0, fp) != Stored {
						t.Skipf("seed %d: one by one does not fit", seed)
					}
				}
				if got, want := fmt.Sprint(e.classes()), fmt.Sprint(one.classes()); got != want {
					t.Fatalf("seed %d, %d digests: classes\n%s\nwant\n%s", seed, len(hs), got, want)
				}
			}
		})
	}
}

// TestInsertBulk_IgnoresTheNumberOfWorkers compares table bytes and statistics.
func TestInsertBulk_IgnoresTheNumberOfWorkers(t *testing.T) {
	for _, s := range bulkShapes {
		random := rand.New(rand.NewPCG(2, uint64(s.width)))
		hs := make([]uint64, int(s.buckets)*int(s.lanes)*4/5)
		for k := range hs {
			hs[k] = random.Uint64()
		}
		first := s.rule.test(s.buckets, s.width, s.lanes)
		n, o := first.insertBulk(hs, 1, 50, 16)
		for workers := 2; workers < 9; workers++ {
			e := s.rule.test(s.buckets, s.width, s.lanes)
			m, p := e.insertBulk(hs, workers, 50, 16)
			if m != n || p != o || e.Stats != first.Stats || !bytes.Equal(e.Table.Data(), first.Table.Data()) {
				t.Errorf("%+v: %d workers made another table: %d %d %+v, want %d %d %+v", s, workers, m, p, e.Stats, n, o, first.Stats)
			}
		}
	}
}

// TestNewBulk_PiecesTakeAWholeWrite asks for pieces of one byte: a write to the last bucket of one must
// end before the piece after the next begins.
func TestNewBulk_PiecesTakeAWholeWrite(t *testing.T) {
	for _, s := range bulkShapes {
		e := s.rule.test(s.buckets, s.width, s.lanes)
		b, bucket := newBulk(e, 1, 1, 1), e.Table.BucketBits()
		for piece := uint64(0); piece+2 < uint64(b.pieces); piece++ {
			last := (piece+1)<<b.shift - 1
			written := (last+1)*bucket/8 + 7 // an upper bound: the last byte of 8 that begin in the bucket's last byte
			if (last+1)*bucket%8 == 0 {
				written--
			}
			if begin := (piece + 2) << b.shift * bucket / 8; written >= begin {
				t.Fatalf("%+v: writes to piece %d reach byte %d, piece %d begins at %d", s, piece, written, piece+2, begin)
			}
		}
	}
}

// TestInsertBulk_RefusesTheCopyTooMany gives one key more often than its pair has slots.
func TestInsertBulk_RefusesTheCopyTooMany(t *testing.T) {
	e := Additive.test(61, 12, 4)
	hs := make([]uint64, 9)
	for k := range hs {
		hs[k] = 0x123456789abcdef0
	}
	if n, o := e.insertBulk(hs[:8], 2, 3, 16); n != 8 || o != Stored {
		t.Errorf("8 copies: %d stored, outcome %d", n, o)
	}
	e.Reset()
	if n, o := e.insertBulk(hs, 2, 3, 16); n != 8 || o != Copies {
		t.Errorf("9 copies: %d stored, outcome %d, want 8, Copies", n, o)
	}
	if n, o := e.insertBulk(nil, 2, 3, 16); n != 0 || o != Stored {
		t.Errorf("no digests: %d stored, outcome %d", n, o)
	}
}
