package measure

import (
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// Loops is a filter as loops over its verbs: all that the engine knows of it. Keys are integers. What a loop makes of
// them is its own: it hashes them, or they are digests, or the numbers of strings. A loop is written where the type of
// the filter is known and gets thousands of keys at a time: what it calls for a key is what a user's program calls,
// without an interface, and its own call is not seen in the time of a key. A Loops belongs to one goroutine.
type Loops struct {
	// Insert stores keys until one is refused and returns how many it took. The error is then that of the refusal and
	// wraps cuckoo.ErrFull.
	Insert func(keys []uint64) (int, error)
	// Contains looks keys up one by one and returns how many are found.
	Contains func(keys []uint64) int
	// Batches returns a loop of lookups of so many keys at a time, with buffers of its own; nil where there is none.
	Batches func(size int) func(keys []uint64) int
	// Remove deletes keys one by one and returns how many were found; nil for filters that cannot.
	Remove func(keys []uint64) int
	// RemoveBatches is Batches of deletes; nil where there is none.
	RemoveBatches func(size int) func(keys []uint64) int
	// Build makes another filter like this one from digests in bulk; nil for filters that cannot.
	Build func(hs []uint64) error
	// Reset empties the filter; nil where nobody needs it.
	Reset func()
	// Clone returns a copy; nil for most.
	Clone func() *Loops
	// SizeBytes is the size of the table now: that of a filter that grows changes.
	SizeBytes func() int
	// Filter is the filter itself.
	Filter any
}

// A Digester makes the digests of keys: many at a time, which leaves the keys as they are.
type Digester func(keys, hs []uint64) (digests []uint64)

// Ready is the Digester of keys that are digests.
func Ready(keys, _ []uint64) []uint64 { return keys }

// Mixed is that of integers.
func Mixed(keys, hs []uint64) []uint64 {
	hashing.MixAll(keys, hs[:len(keys)])
	return hs[:len(keys)]
}

// InBatches makes a loop of a verb that looks up a batch of digests.
func InBatches(digests Digester, contains func(hs []uint64, dst []bool), size int) func(keys []uint64) int {
	hs, dst := make([]uint64, size), make([]bool, size)
	return func(keys []uint64) (found int) {
		for part := range slices.Chunk(keys, size) {
			contains(digests(part, hs), dst[:len(part)])
			found += CountTrue(dst[:len(part)])
		}
		return found
	}
}

// RemoveInBatches makes a loop of a verb that deletes a batch of digests.
func RemoveInBatches(digests Digester, remove func(hs []uint64) int, size int) func(keys []uint64) int {
	hs := make([]uint64, size)
	return func(keys []uint64) (deleted int) {
		for part := range slices.Chunk(keys, size) {
			deleted += remove(digests(part, hs))
		}
		return deleted
	}
}

// Texts are strings that stand for keys: key k is the string of that number, which every loop hashes.
type Texts struct {
	All  []string
	Hash hashing.Digester
}

// digest is that of a key, which is its own where there are no strings.
func (t Texts) digest(k uint64) uint64 {
	if t.All != nil {
		return t.Hash.Sum64String(t.All[k])
	}
	return k
}

// Digests is the Digester of the strings.
func (t Texts) Digests(keys, hs []uint64) []uint64 {
	for i, k := range keys {
		hs[i] = t.Hash.Sum64String(t.All[k])
	}
	return hs[:len(keys)]
}

func (t Texts) digester() Digester {
	if t.All != nil {
		return t.Digests
	}
	return Ready
}

// Hashing returns a loop that hashes keys and does nothing else.
func (t Texts) Hashing() func(keys []uint64) {
	sum := uint64(0)
	return func(keys []uint64) {
		for _, k := range keys {
			sum += t.Hash.Sum64String(t.All[k])
		}
	}
}

// Front has the loops of a filter of package nest, asked as a program does that chooses at run time: through an
// interface, which is 0.4 to 1.3 ns slower than the typed filters, for all kinds alike. Lookups do not wait for each
// other's answers. Keys are inserted 256 at a time. They are digests, or the numbers of texts if there are any.
func Front(f nest.Filter, texts Texts) *Loops {
	digests, hs := texts.digester(), make([]uint64, ContestBatch)
	l := &Loops{
		Insert: func(keys []uint64) (n int, err error) {
			for part := range slices.Chunk(keys, ContestBatch) {
				m, err := f.InsertHashes(digests(part, hs))
				if n += m; err != nil {
					return n, err
				}
			}
			return n, nil
		},
		Contains: func(keys []uint64) int {
			return Count(keys, func(k uint64) bool { return f.ContainsHash(texts.digest(k)) })
		},
		Batches:   func(size int) func([]uint64) int { return InBatches(digests, f.ContainsHashes, size) },
		SizeBytes: f.SizeBytes,
		Reset:     f.Reset,
		Filter:    f,
	}
	if d, ok := f.(nest.Deleter); ok {
		l.Remove = func(keys []uint64) int {
			return Count(keys, func(k uint64) bool { return d.DeleteHash(texts.digest(k)) })
		}
	}
	return l
}

// FrontOfAll has the loops of the filter of package nest that build makes of all its keys, n.
func FrontOfAll(n int, build func(hs []uint64) (nest.Filter, error), texts Texts) *Loops {
	return Static(n, texts.digester(), func(hs []uint64) (*Loops, error) {
		f, err := build(hs)
		if err != nil {
			return nil, err
		}
		return Front(f, texts), nil
	})
}

// Static returns loops of a filter that is made of all its keys, n, at once: Insert keeps their digests, and has build
// make the filter of them when all are there. Until then it must not be asked.
func Static(n int, digests Digester, build func(hs []uint64) (*Loops, error)) *Loops {
	all, hs, built := make([]uint64, 0, n), make([]uint64, Chunk), &Loops{SizeBytes: func() int { return 0 }}
	l := &Loops{
		Batches:   func(size int) func(keys []uint64) int { return built.Batches(size) },
		SizeBytes: func() int { return built.SizeBytes() },
	}
	l.Insert = func(keys []uint64) (_ int, err error) {
		for part := range slices.Chunk(keys, len(hs)) {
			all = append(all, digests(part, hs)...)
		}
		if len(all) >= n {
			if built, err = build(all); err != nil {
				return 0, err
			}
			l.Contains, l.Filter = built.Contains, built.Filter
		}
		return len(keys), nil
	}
	return l
}

// Each and Count are the loops over the verbs of one key. They are small enough to be inlined, and so is the function
// literal that they are given: what it calls is called directly.
func Each(keys []uint64, insert func(k uint64) error) (int, error) {
	for i, k := range keys {
		if err := insert(k); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

// Count counts the keys to which a verb says yes.
func Count(keys []uint64, verb func(k uint64) bool) (n int) {
	for _, k := range keys {
		if verb(k) {
			n++
		}
	}
	return n
}
