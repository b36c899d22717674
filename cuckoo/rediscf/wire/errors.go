package wire

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// The errors of this package. Other errors are those of package rediscf: [rediscf.ErrConfig] for an option out of
// range, [rediscf.ErrTooLarge] for what the limits forbid, [rediscf.ErrCorrupt] and [rediscf.ErrIncomplete] for a dump,
// [rediscf.ErrExists] for a key that is taken and [rediscf.ErrNotFound] for one that is missing. What the client
// returns is wrapped too.
var (
	// ErrTooShort: a file ends before the dump does.
	ErrTooShort = errs.TooShort
	// ErrVersion: a file is a dump in a version of the format that this package does not read.
	ErrVersion = errs.Version
	// ErrEmpty: no command makes an equal filter, because this one has no items but several sub-filters
	// or deletes, which Compact ends, or was never reserved.
	ErrEmpty = errors.New("nothing to ship")
	// ErrNoCommands: the server knows no command CF.*.
	ErrNoCommands = errors.New("the server has no CF.* commands: module bf is not loaded")
	// ErrReply: the server's reply is not one that the command has.
	ErrReply = errors.New("unexpected reply")
	// ErrDiffers: after loading, CF.INFO does not say of the server's filter what Info says of ours.
	ErrDiffers = errors.New("server's filter differs")
	// ErrNotReplicated: a replica did not have in time what was loaded, so the key was left as it was.
	ErrNotReplicated = errors.New("the replica does not have what was loaded")
	// ErrReplication is what PushOptions.Warn is called with; the error has a command that mends it.
	ErrReplication = errors.New("loaded chunks may not reach replicas and the append-only file")
	// ErrChanged: the server's filter changed while it was dumped.
	ErrChanged = errors.New("filter changed while it was dumped")
	// ErrLeftover: a push failed and its temporary key could not be deleted; the error names it and says whether it
	// is certain to expire.
	ErrLeftover = errors.New("temporary key may be left")
	// ErrUncertain: the connection failed between the rename and its reply. The key has the whole new
	// filter, or what it had before.
	ErrUncertain = errors.New("the rename may have been made")
)

// explain puts what was done into an error, if there is one. It is deferred.
func explain(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("wire: "+format+": %w", append(args, *err)...)
	}
}
