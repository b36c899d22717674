package rivals

import (
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const oursModule = "github.com/nestfilter/nest"

// ours are the filters of this project: by integers those of the catalogue, whose keys go through hashing.Mix64, and four by
// bytes, to stand beside modules that take nothing else.
func ours() []Contender {
	var all []Contender
	warning := catalogue.Cuckoo(cuckoo.PlainXOR, nil).Name
	for _, s := range slices.Concat(catalogue.Bench(), catalogue.Others()) {
		if s.Name == warning {
			continue
		}
		c := Contender{Name: "nest " + s.Name, Group: Ours, Module: oursModule, New: catalogued(s)}
		if s.Name == catalogue.Cuckoo(cuckoo.Region, nil).Name {
			c.MinSlots = 1 << 20 // its regions need as many
		}
		all = append(all, c)
	}
	for _, p := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, cores := range []int{1, 2} {
			all = append(all, built(p, cores))
		}
	}
	byBytes := func(name string, make func(n int) (*Verbs, error)) {
		all = append(all, Contender{Name: "nest " + name + " by bytes", Group: Ours, Module: oursModule, Bytes: true, New: make})
	}
	byBytes("cuckoo-additive", cuckooBytes[fingerprint.Bits12])
	byBytes("cuckoo-8", cuckooBytes[fingerprint.Bits8])
	byBytes("bloom", func(n int) (*Verbs, error) {
		return bloomBytes(bloom.New(bloom.Config{Capacity: KeysOf(n), FalsePositiveRate: lowRate}))
	})
	byBytes("blocked-bloom", func(n int) (*Verbs, error) {
		return bloomBytes(bloom.NewBlocked(bloom.Config{Capacity: KeysOf(n), FalsePositiveRate: lowRate}))
	})
	return append(all, maplets()...)
}

// catalogued has the loops of the catalogue.
func catalogued(s catalogue.Entry) func(n int) (*Verbs, error) {
	return func(n int) (*Verbs, error) {
		f, err := s.Open(catalogue.Size{Slots: n})
		if err != nil {
			return nil, err
		}
		v := &Verbs{Insert: f.Insert, Contains: f.Contains, Batch: f.Batches(measure.ContestBatch), Remove: f.Remove, Bytes: f.SizeBytes}
		if f.RemoveBatches != nil {
			v.RemoveBatch = f.RemoveBatches(measure.ContestBatch)
		}
		return v, nil
	}
}

// inBatches is the loop of the filters that take bytes and look up digests in batches.
func inBatches(hash hashing.Digester, contains func(hs []uint64, dst []bool)) func(keys []uint64) int {
	digests, answers := make([]uint64, measure.ContestBatch), make([]bool, measure.ContestBatch)
	return func(keys []uint64) (found int) {
		for len(keys) > 0 {
			part := keys[:min(len(keys), measure.ContestBatch)]
			keys = keys[len(part):]
			i := 0
			CountBytes(part, func(key []byte) bool { digests[i] = hash.Sum64(key); i++; return true })
			contains(digests[:i], answers[:i])
			found += measure.CountTrue(answers[:i])
		}
		return found
	}
}

func cuckooBytes[F fingerprint.Width](n int) (*Verbs, error) {
	f, err := cuckoo.New[F](cuckoo.Config{Buckets: n / 4})
	if err != nil {
		return nil, err
	}
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { return f.Insert(key) })
		},
		Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Contains(key) }) },
		Batch:    inBatches(hashing.NewDigester(hashing.XXH64(0)), f.ContainsHashes),
		Remove:   func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Delete(key) }) },
		Bytes:    f.SizeBytes,
	}, nil
}

// bloomBytes has the loops of our Bloom filters: one set of loops, whose calls go through an interface, which a processor
// predicts.
func bloomBytes[F interface {
	Insert(key []byte)
	Contains(key []byte) bool
	ContainsHashes(hs []uint64, dst []bool)
	SizeBytes() int
}](f F, err error) (*Verbs, error) {
	if err != nil {
		return nil, err
	}
	return &Verbs{
		Insert: func(keys []uint64) (int, error) {
			return EachBytes(keys, func(key []byte) error { f.Insert(key); return nil })
		},
		Contains: func(keys []uint64) int { return CountBytes(keys, func(key []byte) bool { return f.Contains(key) }) },
		Batch:    inBatches(hashing.NewDigester(hashing.XXH64(0)), f.ContainsHashes),
		Bytes:    func() int { return f.SizeBytes() },
	}, nil
}
