package files

import (
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
)

// forgets tells whether lines are forgotten.
func (o UniqOptions) forgets() bool { return o.Window != 0 || o.WindowKeys != 0 }

// A memory is what a Uniq has whose filter forgets.
type memory struct {
	now     func() time.Time
	advance func(time.Time)
	// insert adds digests that are not remembered, until one is refused.
	insert  func(hs []uint64, added []bool) (n int, err error)
	refused int64
}

func newMemory(f nest.Filter, o UniqOptions) *memory {
	w := f.Unwrap().(*window.Filter[fingerprint.Any])
	m := &memory{now: o.Now, advance: w.AdvanceTo, insert: w.InsertUniqueHashes}
	if o.Sliding {
		m.insert = w.TouchHashes
	}
	if m.now == nil {
		m.now = time.Now
	}
	return m
}

// remember is insert of a Uniq that forgets: it dates the digests, and adds those that it does not remember. One that
// finds no room counts as added and is not remembered.
func (u *Uniq) remember(hs []uint64, added []bool) (n int, err error) {
	m := u.memory
	m.advance(m.now())
	for n < len(hs) {
		before := u.rate()
		done, refusal := m.insert(hs[n:], added[n:])
		some := added[n : n+done]
		if n += done; refusal != nil {
			added[n] = true
			m.refused++
			n++
		}
		fresh := 0
		for _, is := range some {
			if is {
				fresh++
			}
		}
		u.lost += expectedLost(fresh, before, u.rate())
	}
	return n, nil
}
