package rivals

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// built is the cuckoo filter of 12 bits under a placement, built of all keys at once on so many cores.
func built(p cuckoo.Placement, cores int) Contender {
	single := "nest " + catalogue.Cuckoo(p, nil).Name
	return Contender{
		Name: fmt.Sprintf("%s built on %s", single, stat.Count(cores, "core")), Group: Ours, Module: oursModule, Cores: cores,
		Remark: "lookups and deletes are those of " + single,
		New: func(n int) (*Verbs, error) {
			var f *cuckoo.Filter[fingerprint.Bits12]
			return &Verbs{
				Insert: func(keys []uint64) (taken int, err error) {
					f, err = cuckoo.Build[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p}, digests(keys))
					if err != nil {
						return 0, err
					}
					return len(keys), nil
				},
				Contains: func(keys []uint64) int {
					return Count(keys, func(key uint64) bool { return f.ContainsHash(hashing.Mix64(key)) })
				},
				Bytes: func() int { return f.SizeBytes() },
			}, nil
		},
	}
}

// digests hashes keys.
func digests(keys []uint64) []uint64 {
	hs := make([]uint64, len(keys))
	hashing.MixAll(keys, hs)
	return hs
}
