package rivals

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// own is a contender of this project.
func own(name string, open func(n int) (*measure.Loops, error)) Contender {
	return Contender{Name: "nest " + name, Group: Ours, Module: versus.OursModule, New: open}
}

// ours are the filters of this project: by integers those of the catalogue, whose keys go through hashing.Mix64, and
// some by bytes, to stand beside modules that take nothing else.
func ours() []Contender {
	var all []Contender
	warning := catalogue.Cuckoo(cuckoo.PlainXOR, nil).Name
	for _, s := range slices.Concat(catalogue.Bench(), catalogue.Others()) {
		c := own(s.Name, func(n int) (*measure.Loops, error) { return s.Open(catalogue.Size{Slots: n}) })
		if c.Static = s.Static; c.Static {
			c.Remark = isStatic
		}
		if s.Name != warning {
			all = append(all, c)
		}
	}
	for _, p := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, cores := range []int{1, 2} {
			all = append(all, built(p, cores))
		}
	}
	rate := func(n int) bloom.Config { return bloom.Config{Capacity: KeysOf(n), FalsePositiveRate: lowRate} }
	for _, c := range []Contender{
		own("cuckoo-additive", cuckooBytes[fingerprint.Bits12]),
		own("cuckoo-8", cuckooBytes[fingerprint.Bits8]),
		own("bloom", func(n int) (*measure.Loops, error) { return bloomBytes(bloom.New(rate(n))) }),
		own("blocked-bloom", func(n int) (*measure.Loops, error) { return bloomBytes(bloom.NewBlocked(rate(n))) }),
		forgetful(),
		mapped(12, 36, newMaplet[fingerprint.Bits12]),
		mapped(8, 8, newMaplet[fingerprint.Bits8]),
	} {
		c.Name += " by bytes"
		c.Bytes = true
		all = append(all, c)
	}
	return all
}

// built is the cuckoo filter of 12 bits under a placement, built of all keys at once on so many cores.
func built(p cuckoo.Placement, cores int) Contender {
	single := catalogue.Cuckoo(p, nil).Name
	c := own(fmt.Sprintf("%s built on %s", single, claims.Count(cores, "core")), func(n int) (*measure.Loops, error) {
		var f *cuckoo.Filter[fingerprint.Bits12]
		return &measure.Loops{
			Insert: func(keys []uint64) (taken int, err error) {
				hs := make([]uint64, len(keys))
				hashing.MixAll(keys, hs)
				f, err = cuckoo.Build[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p}, hs)
				if err != nil {
					return 0, err
				}
				return len(keys), nil
			},
			Contains: func(keys []uint64) int {
				return measure.Count(keys, func(key uint64) bool { return f.ContainsHash(hashing.Mix64(key)) })
			},
			SizeBytes: func() int { return f.SizeBytes() },
		}, nil
	})
	c.Cores, c.Remark = cores, "lookups and deletes are those of nest "+single
	return c
}

func cuckooBytes[F fingerprint.Width](n int) (*measure.Loops, error) {
	f, err := cuckoo.New[F](cuckoo.Config{Buckets: n / 4})
	if err != nil {
		return nil, err
	}
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { return f.Insert(key) })
		},
		Contains:  func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Contains(key) }) },
		Batches:   inBatches(f.ContainsHashes),
		Remove:    func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Delete(key) }) },
		SizeBytes: f.SizeBytes,
	}, nil
}

// bloomBytes has the loops of our Bloom filters: one set of loops, whose calls go through an interface, which a
// processor predicts.
func bloomBytes[F interface {
	Insert(key []byte)
	Contains(key []byte) bool
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}](f F, err error) (*measure.Loops, error) {
	if err != nil {
		return nil, err
	}
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { f.Insert(key); return nil })
		},
		Contains:  func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Contains(key) }) },
		Batches:   inBatches(f.ContainsHashes),
		SizeBytes: f.SizeBytes,
	}, nil
}

// forgetful is a filter that forgets, at a rate of 1% of as many keys in a window as n slots hold.
func forgetful() Contender {
	c := own("window-10", func(n int) (*measure.Loops, error) {
		f, err := window.New[fingerprint.Bits10](window.Config{PerWindow: KeysOf(n)})
		if err != nil {
			return nil, err
		}
		return &measure.Loops{
			Insert: func(keys []uint64) (int, error) {
				return EachBytes(keys, func(key []byte) error { return f.Insert(key) })
			},
			Contains:  func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Contains(key) }) },
			Batches:   inBatches(f.ContainsHashes),
			SizeBytes: f.SizeBytes,
		}, nil
	})
	c.Remark = "forgets keys a window after they came, here none; has room for a fourteenth more"
	return c
}

// mapped is a table of values, by bytes as the quotient filters that are kept.
func mapped(width, bits int, open func(n, bits int) (*measure.Loops, error)) Contender {
	c := own(fmt.Sprintf("maplet-%d", bits), func(n int) (*measure.Loops, error) { return open(n, bits) })
	c.Remark = fmt.Sprintf("a value of %d bits beside each fingerprint of %d; bits and times are of both", bits, width)
	return c
}

// newMaplet makes a maplet of n slots, with values of so many bits: the highest ones of the key's first 8 bytes.
func newMaplet[F fingerprint.Width](n, bits int) (*measure.Loops, error) {
	m, err := maplet.New[F](maplet.Config{Buckets: n / 4, ValueBits: bits})
	if err != nil {
		return nil, err
	}
	m.Reset() // writes to every page of the table
	value := func(key []byte) uint64 { return binary.LittleEndian.Uint64(key) >> (64 - bits) }
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { return m.Insert(key, value(key)) })
		},
		Contains: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return candidate(m, key) < 1<<bits })
		},
		Batches: inBatches(func(hs []uint64, dst []bool) {
			clear(dst)
			for i, v := range m.LookupHashes(hs) {
				dst[i] = v < 1<<bits
			}
		}),
		Remove: func(keys []uint64) int {
			return CountBytes(keys, func(key []byte) bool { return m.Delete(key, value(key)) })
		},
		SizeBytes: m.SizeBytes,
	}, nil
}

// candidate reads the candidates of a key and returns the smallest, all ones without any.
func candidate[F fingerprint.Width](m *maplet.Map[F], key []byte) uint64 {
	least := ^uint64(0)
	for v := range m.Lookup(key) {
		least = min(least, v)
	}
	return least
}
