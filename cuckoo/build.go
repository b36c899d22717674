package cuckoo

import (
	"fmt"
	"runtime"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// Build returns a filter of the configuration that holds the digests hs, repeated ones as often as
// they stand there. It may insert in any order, so that the table can differ from one filled by
// [Filter.InsertHashes]; equal arguments give equal tables on every machine, whatever GOMAXPROCS is.
//
// Where the table has 2 MiB or more and the kick policy is BreadthFirst, Build sorts the digests by
// regions of the table and fills region after region, with as many goroutines as GOMAXPROCS says. It takes some
// 4 bytes a digest of scratch memory meanwhile, and 16 MiB at least. Fingerprints are then kicked by Build itself for the
// most part, which [Stats] counts as Kicks, and few inserts are left to the policy. Other filters
// are filled in the order of hs.
//
// The errors are those of [New], and [ErrFull], with the number of digests that had been inserted,
// where they do not fit.
func Build[F fingerprint.Width](c Config, hs []uint64) (*Filter[F], error) {
	f, err := New[F](c)
	if err != nil {
		return nil, err
	}
	var n int
	if f.config.Kick == BreadthFirst && f.SizeBytes() >= farTable {
		var o kick.Outcome
		n, o = f.engine.InsertBulk(hs, runtime.GOMAXPROCS(0))
		f.len, err = n, outcome(o)
	} else {
		n, err = f.InsertHashes(hs)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %d of %d digests were inserted", err, n, len(hs))
	}
	return f, nil
}
