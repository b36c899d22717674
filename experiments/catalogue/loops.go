package catalogue

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// The loops over the verbs of every filter of this module are here: a function for each type. Code that is generic over
// the filters would call each verb through a dictionary, which costs as much as an interface. A function must not be
// inlined: where it is, the closures that it returns are copied before they are inlined themselves, and call the verb
// indirectly. TestLoops_CallDirectly holds the machine code to that.

// A form is what keys are to loops: integers, which they hash by hashing.Mix64 as the paper counts hashing in its
// times, or digests, which are ready. Its length is folded to a constant.
type form interface{ integers | digests }

type (
	integers [1]struct{}
	digests  [0]struct{}
)

// digest is the digest of a key.
func digest[K form](key uint64) uint64 {
	var k K
	if len(k) == 1 {
		return hashing.Mix64(key)
	}
	return key
}

//go:noinline
func cuckooLoops[K form, F fingerprint.Width](f *cuckoo.Filter[F]) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return f.InsertHash(digest[K](k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(digest[K](k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(digest[K](k)) })
		},
	}
}

//go:noinline
func scalableLoops[K form, F fingerprint.Width](f *cuckoo.Scalable[F]) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return f.InsertHash(digest[K](k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(digest[K](k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(digest[K](k)) })
		},
	}
}

//go:noinline
func concurrentLoops[K form, F fingerprint.Width](f *cuckoo.Concurrent[F]) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return f.InsertHash(digest[K](k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(digest[K](k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(digest[K](k)) })
		},
	}
}

//go:noinline
func mapletLoops[K form, F fingerprint.Width](m *maplet.Map[F]) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return m.InsertHash(digest[K](k), valueOf(k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool {
				found := false
				for v := range m.LookupHash(digest[K](k)) { // all: each may be that of another key
					found = found || v < 1<<mapletValue
				}
				return found
			})
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return m.DeleteHash(digest[K](k), valueOf(k)) })
		},
	}
}

// mapletValue is the width of the values of maplets, and valueOf the value of a key.
const mapletValue = 4

func valueOf(key uint64) uint64 { return key >> (64 - mapletValue) }

//go:noinline
func bloomLoops(f *bloom.Filter) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func blockedLoops(f *bloom.Blocked) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func splitLoops(f *bloom.SplitBlock) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func sharedBloomLoops(f *bloom.Concurrent) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func countingLoops(f *counting.Filter) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { f.InsertHash(hashing.Mix64(k)); return nil })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func dleftLoops(f *counting.DLeft) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
	}
}

//go:noinline
func quotientLoops(f *quotientfilter.Filter) measure.Loops {
	return measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return f.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(hashing.Mix64(k)) })
		},
		Remove: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.DeleteHash(hashing.Mix64(k)) })
		},
		Clone: func() *measure.Loops { c := f.Clone(); return over(c, quotientLoops(c), measure.Mixed) },
	}
}

//go:noinline
func fuseLoops[F fingerprint.Width](f *fuse.Filter[F]) measure.Loops {
	return measure.Loops{
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return f.ContainsHash(k) })
		},
	}
}

// staticLoops are those of the filter that build makes of all its keys, n.
func staticLoops[F fingerprint.Width](n int, build func(hs []uint64) (*fuse.Filter[F], error)) *measure.Loops {
	return measure.Static(n, measure.Ready, func(hs []uint64) (*measure.Loops, error) {
		f, err := build(hs)
		if err != nil {
			return nil, err
		}
		return over(f, fuseLoops(f), measure.Ready), nil
	})
}

// ownLoops are those of a filter of one's own, which is called through its interface.
func ownLoops(f lab.Instance) *measure.Loops {
	single, ok := f.(lab.Single)
	if !ok {
		single = &slicesOfOne{of: f}
	}
	l := measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return measure.Each(keys, func(k uint64) error { return single.InsertHash(hashing.Mix64(k)) })
		},
		Contains: func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return single.ContainsHash(hashing.Mix64(k)) })
		},
	}
	if d, ok := f.(lab.Deleter); ok {
		l.Remove = func(keys []uint64) int {
			return measure.Count(keys, func(k uint64) bool { return d.DeleteHash(hashing.Mix64(k)) })
		}
	}
	return opened(f, l, measure.Mixed)
}

// A table is what the filters have alike and nobody times one by one.
type table interface {
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}

// over completes the loops of a filter.
func over(f table, l measure.Loops, of measure.Digester) *measure.Loops {
	l.Filter, l.SizeBytes = f, f.SizeBytes
	l.Batches = func(size int) func([]uint64) int { return measure.InBatches(of, f.ContainsHashes, size) }
	if d, ok := f.(interface{ DeleteHashes(hs []uint64) int }); ok {
		l.RemoveBatches = func(size int) func([]uint64) int { return measure.RemoveInBatches(of, d.DeleteHashes, size) }
	}
	if r, ok := f.(interface{ Reset() }); ok {
		l.Reset = r.Reset
	}
	return &l
}

// opened completes the loops of an empty filter and empties it once more: that writes to every page of the table, which
// the first inserts would else pay for.
func opened(f table, l measure.Loops, of measure.Digester) *measure.Loops {
	out := over(f, l, of)
	if out.Reset != nil {
		out.Reset()
	}
	return out
}

// opens opens the loops, which take integers, of what a constructor makes of a size.
func opens[C any, T table](loops func(T) measure.Loops, empty func(C) (T, error), config func(Size) C) opener {
	return func(s Size) (*measure.Loops, error) {
		f, err := empty(config(s))
		if err != nil {
			return nil, err
		}
		return opened(f, loops(f), measure.Mixed), nil
	}
}
