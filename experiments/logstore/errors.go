package logstore

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest"
)

// The errors of this package. The messages say which file, and at which byte. [ErrDeleted] is an [ErrNotFound] too:
// the key has a record until [Store.Compact]. [ErrSize] is of keys and values longer than a store takes, of a log of
// as many segments as there can be, and of an index with as many keys of one digest. [ErrLocked] says that the store
// is open already, and one of both is to change it.
var (
	ErrNotFound = errors.New("no such key")
	ErrDeleted  = fmt.Errorf("deleted: %w", ErrNotFound)
	ErrSize     = errors.New("too large for a store")
	ErrNoStore  = errors.New("no store")
	ErrLocked   = errors.New("store is open already")
	ErrReadOnly = errors.New("store was opened to be read only")
	ErrClosed   = errors.New("store is closed")
	ErrVersion  = nest.ErrVersion // the store is of another version
	ErrCorrupt  = nest.ErrCorrupt // the bytes of a file contradict their checksum
)
