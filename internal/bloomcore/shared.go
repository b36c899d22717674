package bloomcore

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/nestfilter/nest/internal/memory"
)

// The verbs of blocks that goroutines share read and write words with package sync/atomic only, one at a time. A bit
// that is set stays set, so a lookup that has seen all bits of a key set is right from then on, and one that has seen a
// bit clear was right then.

// shared is what a shared table has beside the words.
type shared struct {
	kept  memory.Counter // keys
	locks [64]sync.Mutex // of inserts of new keys alone
}

// share makes blocks, which nobody else has, shared ones.
func (t *Table) share() {
	t.shared = new(shared)
	t.shared.kept.Set(int64(min(t.Keys, math.MaxInt64)))
	t.Layout = SharedBlocks
}

// hasShared tells whether all bits of h are set.
func (t *Table) hasShared(h uint64) bool {
	line, x := t.lineOf(h), BlockState(h)
	var unset uint64
	for k := t.Hashes; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			word := atomic.LoadUint64(&line[fields>>61])
			unset |= word ^ (word | 1<<(fields>>55&63))
			fields <<= BlockField
		}
		x = Next(x)
	}
	return unset == 0
}

// setShared sets all bits of h. It writes no word that has its bits already.
func (t *Table) setShared(h uint64) {
	var masks block
	line, x := t.lineOf(h), BlockState(h)
	for k := t.Hashes; k > 0; k -= BlockFields {
		fields := x
		for range min(k, BlockFields) {
			masks[fields>>61] |= 1 << (fields >> 55 & 63)
			fields <<= BlockField
		}
		x = Next(x)
	}
	for w, mask := range masks {
		if atomic.LoadUint64(&line[w])&mask != mask {
			atomic.OrUint64(&line[w], mask)
		}
	}
}

// addOnce adds h unless all its bits are set, and tells whether it did.
func (t *Table) addOnce(h uint64) bool {
	if t.hasShared(h) {
		return false
	}
	lock := &t.shared.locks[h%uint64(len(t.shared.locks))]
	lock.Lock()
	defer lock.Unlock()
	if t.hasShared(h) {
		return false
	}
	t.setShared(h)
	t.shared.kept.Add(h, 1)
	return true
}

// AddShared adds h, which counts, and tells that it did. If unique it does not where all bits of h are set. Of
// goroutines that add it so at once, one is told that it did.
func (t *Table) AddShared(h uint64, unique bool) bool {
	switch {
	case t.Layout == Unmade:
		return t.addUnmade(1, unique)
	case unique:
		return t.addOnce(h)
	}
	t.setShared(h)
	t.shared.kept.Add(h, 1)
	return true
}

// addUnmade counts keys of the zero Table, if unique only where there are none. The number ends at its largest value.
func (t *Table) addUnmade(n int, unique bool) bool {
	for {
		had := atomic.LoadUint32(&t.unmade)
		if unique && had != 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&t.unmade, had, uint32(min(uint64(had)+uint64(n), math.MaxUint32))) {
			return true
		}
	}
}
