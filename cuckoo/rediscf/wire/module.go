package wire

import (
	"context"
	"fmt"
)

const (
	// moduleName is the name of the module with the commands CF.*.
	moduleName = "bf"
	// sourceVersion is the version of a module that was built from the main branch at any time.
	sourceVersion = 999999
	// fixedVersion is the first version whose sources have the fix of MOD-16050: tag v8.9.80 of RedisBloom. Later
	// releases of older lines may have it too, but none of their tags had it when this was written.
	fixedVersion = 80980
)

// warnOfModule calls warn unless the server has a module that is known to send what is loaded to replicas.
func warnOfModule(ctx context.Context, conn Conn, warn func(error)) {
	version, err := moduleVersion(ctx, conn)
	switch {
	case err != nil:
		warn(fmt.Errorf("%w: the version of the server's module is not known: %w", ErrReplication, err))
	case version == sourceVersion:
		warn(fmt.Errorf("%w: the server's module is a build of the main branch, and one before June 2026 does not send them", ErrReplication))
	case version < fixedVersion:
		warn(fmt.Errorf("%w: the server's module has version %s, and the first that is known to send them is %s", ErrReplication,
			versionText(version), versionText(fixedVersion)))
	}
}

// versionText returns a version as people write it.
func versionText(v int64) string {
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
}

// moduleVersion returns the version that MODULE LIST says.
func moduleVersion(ctx context.Context, conn Conn) (int64, error) {
	replies, err := conn.do(ctx, command("MODULE", "LIST"))
	if err != nil {
		return 0, err
	}
	list, ok := replies[0].([]any)
	if !ok {
		return 0, fmt.Errorf("MODULE LIST: %w %T", ErrReply, replies[0])
	}
	for _, module := range list {
		fields := map[string]any{}
		if err := eachField("MODULE LIST", module, func(name string, value any) error {
			fields[name] = value
			return nil
		}); err != nil {
			return 0, err
		}
		if name, ok := asBytes(fields["name"]); ok && string(name) == moduleName {
			return asInteger("MODULE LIST", fields["ver"])
		}
	}
	return 0, fmt.Errorf("MODULE LIST: %w: there is no %q", ErrReply, moduleName)
}
