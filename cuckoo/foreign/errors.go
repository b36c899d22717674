package foreign

import (
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = fmt.Errorf("foreign: %w: no cuckoo path to a free slot", errs.Full)
	errCopies = fmt.Errorf("foreign: %w: every slot of the key's buckets holds its fingerprint already", errs.Full)
	errUnmade = fmt.Errorf("foreign: %w: the zero Filter takes no keys, make one with New or Decode", errs.Config)
	errLost   = fmt.Errorf("foreign: %w: the key was stored and, as Lossy asks, another one lost", errs.Full)
)
