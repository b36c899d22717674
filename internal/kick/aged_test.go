package kick

import (
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/packed"
)

// TestKickAged_TakesExpiredLanes fills tables, has half of the lanes expire, and fills them again: by no kick is a lane
// lost that is alive, or an expired one moved, and the searches that are brief find no less until the table is full.
func TestKickAged_TakesExpiredLanes(t *testing.T) {
	for _, width := range []uint{10, 11, 20} { // four lanes in whole bytes, in bits, and in two words
		for _, brief := range []bool{false, true} {
			table := packed.Plain.New(width+2, 4, 500)
			ages := packed.Aged{Tagged: packed.NewTagged(&table, width)}
			ages.Dead = ages.Low * (3 << width)
			var e Engine
			e.Init(table, NewScheme(Additive, 500).Within(width), BreadthFirst, SearchLimit, 0)
			live, expired := map[[2]uint64]int{}, 0
			insert := func(h uint64, age uint64) bool {
				fp := fingerprint.Of(h, width)
				i, j := e.Scheme.Pair(h, fp)
				lane := fp | age<<width
				for _, bucket := range []uint64{i, j} {
					if at, ok := ages.FindFree(&e.Table, bucket); ok {
						if e.Table.Get(bucket, at) != 0 {
							expired--
						}
						e.Table.Set(bucket, at, lane)
						live[[2]uint64{min(i, j), lane}]++
						return true
					}
				}
				o, took := e.KickAged(i, j, lane, &ages, brief)
				if took {
					expired--
				}
				if o == Stored {
					live[[2]uint64{min(i, j), lane}]++
				}
				return o == Stored
			}
			n := uint64(0)
			for ; insert(hashing.Mix64(n), n%2); n++ {
			}
			ages.Dead = ages.Low * (1 << width) // the odd ones
			for class, count := range live {
				if class[1]>>width == 1 {
					expired += count
					delete(live, class)
				}
			}
			again := uint64(0)
			for ; insert(hashing.Mix64(n+again), 2); again++ {
			}
			for bucket := range e.Table.Buckets() {
				for lane := range uint(4) {
					x := e.Table.Get(bucket, lane)
					class := [2]uint64{min(bucket, e.Scheme.Alternate(bucket, x)), x}
					switch {
					case x>>width == 1:
						expired--
					case x != 0:
						live[class]--
					}
				}
			}
			for class, count := range live {
				if count != 0 {
					t.Fatalf("width %d: class %x: %d lost", width, class, count)
				}
			}
			if n < 1800 || again < n/2-100 || expired != 0 || e.Stats.Kicks == 0 || e.Stats.Refusals != 2 {
				t.Errorf("width %d, brief %v: %d and %d keys, %d expired lanes too many, %+v",
					width, brief, n, again, expired, e.Stats)
			}
		}
	}
}
