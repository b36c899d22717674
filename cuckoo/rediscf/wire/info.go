package wire

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// Info returns what the server says of the filter under key: EXISTS and CF.INFO. A key that does not exist
// is [rediscf.ErrNotFound]; one that has something else is the server's error.
func Info(ctx context.Context, conn Conn, key string) (rediscf.Info, error) {
	info, err := info(ctx, conn, key)
	if err != nil {
		return rediscf.Info{}, fmt.Errorf("wire: info of key %q: %w", key, err)
	}
	return info, nil
}

// info is Info without the key in its errors.
func info(ctx context.Context, conn Conn, key string) (rediscf.Info, error) {
	there, err := conn.exists(ctx, key)
	if err != nil {
		return rediscf.Info{}, err
	}
	if !there {
		return rediscf.Info{}, rediscf.ErrNotFound
	}
	replies, err := conn.do(ctx, command("CF.INFO", key))
	if err != nil {
		return rediscf.Info{}, err
	}
	return parseInfo(replies[0])
}

// parseInfo reads the reply of CF.INFO. What else a later server may say is ignored, if it is a number.
func parseInfo(reply any) (rediscf.Info, error) {
	fields := map[string]int64{}
	err := eachField("CF.INFO", reply, func(name string, value any) (err error) {
		fields[name], err = asInteger("CF.INFO", value)
		return err
	})
	if err != nil {
		return rediscf.Info{}, err
	}
	return infoOf(fields)
}

// eachField calls do for each name and value of a reply: names and values in turn, or in RESP3 a map of them.
func eachField(command string, reply any, do func(name string, value any) error) error {
	field := func(name, value any) error {
		text, ok := asBytes(name)
		if !ok {
			return fmt.Errorf("%s: %w: %T where a name should be", command, ErrReply, name)
		}
		return do(string(text), value)
	}
	switch r := reply.(type) {
	case []any:
		for k := 0; k+1 < len(r); k += 2 {
			if err := field(r[k], r[k+1]); err != nil {
				return err
			}
		}
	case map[any]any:
		for name, value := range r {
			if err := field(name, value); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%s: %w %T", command, ErrReply, reply)
	}
	return nil
}

// infoOf puts the named numbers of CF.INFO in their places.
func infoOf(fields map[string]int64) (i rediscf.Info, err error) {
	take := func(name string, most int64) int64 {
		n, ok := fields[name]
		switch {
		case err != nil:
		case !ok:
			err = fmt.Errorf("CF.INFO: %w: there is no %q", ErrReply, name)
		case n < 0 || n > most:
			err = fmt.Errorf("CF.INFO: %w: %q is %d", ErrReply, name, n)
		}
		return n
	}
	const any64 = math.MaxInt64
	i.Size = uint64(take("Size", any64))
	i.Buckets = uint64(take("Number of buckets", any64))
	i.Filters = int(take("Number of filters", math.MaxUint16))
	i.Items = uint64(take("Number of items inserted", any64))
	i.Deletes = uint64(take("Number of items deleted", any64))
	i.BucketSize = int(take("Bucket size", rediscf.MaxBucketSize))
	i.Expansion = int(take("Expansion rate", rediscf.MaxExpansion))
	i.MaxIterations = int(take("Max iterations", rediscf.MaxMaxIterations))
	return i, err
}

// unlike returns nothing if two filters say the same of themselves, and otherwise how they differ. Size is
// not in the text of an Info, so it is said apart.
func unlike(server, ours rediscf.Info) string {
	if server == ours {
		return ""
	}
	return fmt.Sprintf("%d bytes, %v; ours has %d bytes, %v", server.Size, server, ours.Size, ours)
}
