package foreign

import (
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what errors begin with.
const pkg = config.Package("foreign")

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = pkg.Errorf(errs.Full, "no cuckoo path to a free slot")
	errCopies = pkg.Errorf(errs.Full, "every slot of the key's buckets holds its fingerprint already")
	errUnmade = pkg.Errorf(errs.Config, "the zero Filter takes no keys, make one with New or Decode")
	errLost   = pkg.Errorf(errs.Full, "the key was stored and, as Lossy asks, another one lost")
)
