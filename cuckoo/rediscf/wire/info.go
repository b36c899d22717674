package wire

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// Info returns what the server says of the filter under key: EXISTS and CF.INFO. A key that does not exist
// is [rediscf.ErrNotFound]; one that has something else is the server's error.
func Info(ctx context.Context, conn Conn, key string) (i rediscf.Info, err error) {
	defer explain(&err, "info of key %q", key)
	return conn.info(ctx, key)
}

// info is Info without the key in its errors.
func (c Conn) info(ctx context.Context, key string) (rediscf.Info, error) {
	there, err := c.exists(ctx, key)
	if err == nil && !there {
		err = rediscf.ErrNotFound
	}
	if err != nil {
		return rediscf.Info{}, err
	}
	reply, err := c.one(ctx, "CF.INFO", key)
	if err != nil {
		return rediscf.Info{}, err
	}
	return parseInfo(reply)
}

// parseInfo reads the reply of CF.INFO. What else a later server may say is ignored.
func parseInfo(reply any) (i rediscf.Info, err error) {
	fields, err := asFields("CF.INFO", reply)
	take := func(name string, most int64) (n int64) {
		if err == nil {
			n, err = asInteger("CF.INFO: "+name, fields[name])
		}
		if err == nil && (n < 0 || n > most) {
			err = fmt.Errorf("CF.INFO: %s: %w %d, want 0..%d", name, ErrReply, n, most)
		}
		return n
	}
	i.Size = uint64(take("Size", math.MaxInt64))
	i.Buckets = uint64(take("Number of buckets", math.MaxInt64))
	i.Filters = int(take("Number of filters", math.MaxUint16))
	i.Items = uint64(take("Number of items inserted", math.MaxInt64))
	i.Deletes = uint64(take("Number of items deleted", math.MaxInt64))
	i.BucketSize = int(take("Bucket size", rediscf.MaxBucketSize))
	i.Expansion = int(take("Expansion rate", rediscf.MaxExpansion))
	i.MaxIterations = int(take("Max iterations", rediscf.MaxMaxIterations))
	return i, err
}

// differ says how the server's filter differs from ours. Size is not in the text of an Info, so it is said apart.
func differ(server, ours rediscf.Info) string {
	return fmt.Sprintf("%d bytes, %v; ours has %d bytes, %v", server.Size, server, ours.Size, ours)
}

const (
	// sourceVersion is the version of a module that was built from the main branch at any time.
	sourceVersion = 999999
	// fixedVersion is the first version whose sources have the fix of MOD-16050: tag v8.9.80 of RedisBloom. Later
	// releases of older lines may have it too, but none of their tags had it when this was written.
	fixedVersion = 80980
)

// warnOfModule calls warn unless the server has a module that is known to send what is loaded to replicas.
func (c Conn) warnOfModule(ctx context.Context, warn func(error)) {
	text := func(v int64) string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }
	switch version, err := c.moduleVersion(ctx); {
	case err != nil:
		warn(fmt.Errorf("%w: the version of the server's module is not known: %w", ErrReplication, err))
	case version == sourceVersion:
		warn(fmt.Errorf("%w: the server's module is a build of the main branch, and one before June 2026 does not send them",
			ErrReplication))
	case version < fixedVersion:
		warn(fmt.Errorf("%w: the server's module has version %s, and the first that is known to send them is %s",
			ErrReplication, text(version), text(fixedVersion)))
	}
}

// moduleVersion returns the version that MODULE LIST says of bf, the module with the commands CF.*.
func (c Conn) moduleVersion(ctx context.Context) (int64, error) {
	reply, err := c.one(ctx, "MODULE", "LIST")
	if err != nil {
		return 0, err
	}
	list, ok := reply.([]any)
	if !ok {
		return 0, fmt.Errorf("MODULE LIST: %w %T", ErrReply, reply)
	}
	for _, module := range list {
		fields, err := asFields("MODULE LIST", module)
		if err != nil {
			return 0, err
		}
		if name, ok := asBytes(fields["name"]); ok && string(name) == "bf" {
			return asInteger("MODULE LIST", fields["ver"])
		}
	}
	return 0, fmt.Errorf(`MODULE LIST: %w: there is no "bf"`, ErrReply)
}
