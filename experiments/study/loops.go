package study

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
)

// insertEach, countEach and replaceEach are the loops over the verbs of one key. They are small enough to be inlined, and so is what they are
// given, which calls the verb: the call is direct, as in a user's program.
func insertEach(hs []uint64, insert func(h uint64) error) error {
	for _, h := range hs {
		if err := insert(h); err != nil {
			return err
		}
	}
	return nil
}

func countEach(hs []uint64, verb func(h uint64) bool) (n int) {
	for _, h := range hs {
		if verb(h) {
			n++
		}
	}
	return n
}

func replaceEach(hs []uint64, remove func(h uint64) bool, insert func(h uint64) error) (n int) {
	for _, h := range hs {
		if remove(h) && insert(h) == nil {
			n++
		}
	}
	return n
}

// A table is what the filters have alike and nobody times one by one.
type table interface {
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
	LoadFactor() float64
	FalsePositiveRate() float64
}

// A holder is a filter of a contest, as loops over its verbs.
type holder struct {
	table
	insert      func(hs []uint64) error
	ask, remove func(hs []uint64) int
	doublings   func() int // of a filter that grows; nil for others
}

func holdFilter[F fingerprint.Width](f *cuckoo.Filter[F]) *holder {
	return &holder{
		table:  f,
		insert: func(hs []uint64) error { return insertEach(hs, func(h uint64) error { return f.InsertHash(h) }) },
		ask:    func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
		remove: func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.DeleteHash(h) }) },
	}
}

func holdScalable[F fingerprint.Width](f *cuckoo.Scalable[F]) *holder {
	return &holder{
		table:     f,
		insert:    func(hs []uint64) error { return insertEach(hs, func(h uint64) error { return f.InsertHash(h) }) },
		ask:       func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
		remove:    func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.DeleteHash(h) }) },
		doublings: f.Doublings,
	}
}

func holdConcurrent[F fingerprint.Width](f *cuckoo.Concurrent[F]) *holder {
	return &holder{
		table:  f,
		insert: func(hs []uint64) error { return insertEach(hs, func(h uint64) error { return f.InsertHash(h) }) },
		ask:    func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.ContainsHash(h) }) },
		remove: func(hs []uint64) int { return countEach(hs, func(h uint64) bool { return f.DeleteHash(h) }) },
	}
}

// Insert inserts keys.
func (h *holder) Insert(k measure.KeySet) error { return h.insert(k.Digests) }

// Ask asks for keys one at a time.
func (h *holder) Ask(k measure.KeySet) int { return h.ask(k.Digests) }

// AskBatches asks for keys, size of them at a time.
func (h *holder) AskBatches(k measure.KeySet, size int) {
	var yes [measure.ContestBatch]bool
	for hs := k.Digests; len(hs) > 0; {
		part := hs[:min(size, len(hs))]
		h.ContainsHashes(part, yes[:])
		hs = hs[len(part):]
	}
}

// Delete deletes keys one at a time.
func (h *holder) Delete(k measure.KeySet) (found int, can bool) { return h.remove(k.Digests), true }

// positives counts the digests of a batch that the filter reports.
func (h *holder) positives(hs []uint64) int {
	var yes [measure.ContestBatch]bool
	h.ContainsHashes(hs, yes[:])
	return measure.CountTrue(yes[:len(hs)])
}
