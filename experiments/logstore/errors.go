package logstore

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest"
)

// The errors of this package. The messages say which file, and at which byte.
var (
	// ErrNotFound: no record of the key.
	ErrNotFound = errors.New("no such key")
	// ErrDeleted: the key was deleted, and its record is there until [Store.Compact]. It is an ErrNotFound too.
	ErrDeleted = fmt.Errorf("deleted: %w", ErrNotFound)
	// ErrSize: a key or a value is longer than a store takes, the log has as many segments as there can be, or the index
	// as many keys of one digest.
	ErrSize = errors.New("too large for a store")
	// ErrNoStore: the folder holds no store.
	ErrNoStore = errors.New("no store")
	// ErrLocked: the store is open already, and one of both is to change it.
	ErrLocked = errors.New("store is open already")
	// ErrReadOnly: the store was opened to be read.
	ErrReadOnly = errors.New("store was opened to be read only")
	// ErrClosed: the Store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrVersion: the store is of a later version.
	ErrVersion = nest.ErrVersion
	// ErrCorrupt: the bytes of a file contradict their checksum.
	ErrCorrupt = nest.ErrCorrupt
)
