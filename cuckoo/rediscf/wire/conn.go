package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// Conn sends commands together, in order, and returns their replies. Each command is its name and its arguments,
// which are strings, int64 and []byte. A reply is an int64, a string or []byte, nil, or a slice or a map of such. Where
// the server replied an error to any command, or the connection failed, err is it.
//
// A Conn must not use the arguments after it returned, and should retry nothing: a header or a rename that is sent
// twice is refused the second time.
type Conn func(ctx context.Context, commands [][]any) (replies []any, err error)

// Over returns the connection of a client of go-redis, such as a *redis.Client, a *redis.ClusterClient or a
// redis.UniversalClient, or of one with the same methods. The type arguments are inferred: wire.Over(client). It is
// safe for concurrent use where the client is.
//
// Let the client not retry (MaxRetries: -1) when pushing, and see to it that ReadTimeout and WriteTimeout are long
// enough for [PushOptions.InFlight] bytes. The context is checked between calls. Whether it ends a call that has begun
// depends on the client (ContextTimeoutEnabled). The client of a cluster must send commands that read to masters (no
// ReadOnly): a replica may not have what was just loaded. For [PushOptions.Verify] it is the other way about.
//
// go-redis allocates the length that a server announces, so Limits do not protect against a server that wants to do
// harm. To pull from such a server, give the client a Dialer whose connections bound the length.
func Over[P interface {
	Do(ctx context.Context, args ...any) C
	Exec(ctx context.Context) ([]R, error)
}, C interface{ Result() (any, error) }, R any](client interface{ Pipeline() P }) Conn {
	return func(ctx context.Context, commands [][]any) ([]any, error) {
		pipe := client.Pipeline()
		pending := make([]C, len(commands))
		for k, args := range commands {
			pending[k] = pipe.Do(ctx, args...)
		}
		_, failed := pipe.Exec(ctx)
		replies, err := collect(commands, func(k int) (any, error) { return pending[k].Result() })
		if err == nil {
			err = failed
		}
		return replies, err
	}
}

// OneByOne returns a connection that waits for each reply before it sends the next command. With go-redis do would be
//
//	func(ctx context.Context, args ...any) (any, error) { return client.Do(ctx, args...).Result() }
//
// An error that the server replied should have a method RedisError, as go-redis's have. Push learns from it that
// the command was not executed.
func OneByOne(do func(ctx context.Context, args ...any) (any, error)) Conn {
	return func(ctx context.Context, commands [][]any) ([]any, error) {
		return collect(commands, func(k int) (any, error) { return do(ctx, commands[k]...) })
	}
}

// refusal is an error that the server replied to one of several commands, which it therefore did not execute.
type refusal struct {
	at int // the number of the command
	error
}

// Unwrap returns the error.
func (r *refusal) Unwrap() error { return r.error }

// noCommands is the server's error for a command CF.* that it does not know, whose text is that of [ErrNoCommands].
type noCommands struct{ said error }

func (noCommands) Error() string     { return ErrNoCommands.Error() }
func (n noCommands) Unwrap() []error { return []error{ErrNoCommands, n.said} }

// advised is err with what the user can do about what the server replied, where that is known.
func advised(err error) error {
	var reply interface {
		error
		RedisError()
	}
	if !errors.As(err, &reply) {
		return err
	}
	said := reply.Error()
	name, unknown := strings.CutPrefix(said, "ERR unknown command ")
	switch {
	case unknown && len(name) > 3 && strings.EqualFold(name[1:4], "CF."): // behind a quote of some kind
		return noCommands{err}
	case strings.HasPrefix(said, "READONLY "):
		return fmt.Errorf("%w; push to the master", err)
	}
	return err
}

// collect returns the replies to commands, or the first error, with the name of its command.
func collect(commands [][]any, reply func(k int) (any, error)) ([]any, error) {
	replies := make([]any, len(commands))
	for k, args := range commands {
		var err error
		if replies[k], err = reply(k); err != nil {
			named := fmt.Errorf("%v: %w", args[0], err)
			if errors.As(err, new(interface{ RedisError() })) {
				named = &refusal{k, named}
			}
			return nil, named
		}
	}
	return replies, nil
}

// command is one command as a Conn takes it.
func command(args ...any) []any { return args }

// do sends commands, if there are any, unless the context has ended, and checks their replies.
func (c Conn) do(ctx context.Context, commands ...[]any) ([]any, error) {
	if len(commands) == 0 {
		return nil, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	replies, err := c(ctx, commands)
	err = advised(err)
	if err == nil && len(replies) != len(commands) {
		err = fmt.Errorf("%w: %d replies to %d commands", ErrReply, len(replies), len(commands))
	}
	for k := 0; k < len(commands) && err == nil; k++ {
		err = check(commands[k], replies[k])
	}
	return replies, err
}

// check returns an error unless a reply is what Push and Pull need of its command, as far as one value can say.
func check(args []any, reply any) (err error) {
	n := int64(0)
	switch name := args[0]; name {
	case "CF.LOADCHUNK", "CF.RESERVE", "RENAME":
		if text, ok := asBytes(reply); !ok || string(text) != "OK" {
			err = fmt.Errorf("%v: %w %.40q, want OK", name, ErrReply, fmt.Sprint(reply))
		}
	case "PEXPIRE", "PERSIST":
		if n, err = asInteger(name, reply); err == nil && n != 1 {
			err = fmt.Errorf("%v: %w: the temporary key %q is gone", name, rediscf.ErrNotFound, args[1])
		}
	case "EXISTS":
		if n, err = asInteger(name, reply); err == nil && n != 0 && n != 1 {
			err = fmt.Errorf("EXISTS: %w %d, want 0 or 1", ErrReply, n)
		}
	}
	return err
}

// one sends one command and returns its reply.
func (c Conn) one(ctx context.Context, args ...any) (any, error) {
	replies, err := c.do(ctx, args)
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

// integer sends one command that replies an integer.
func (c Conn) integer(ctx context.Context, args ...any) (int64, error) {
	reply, err := c.one(ctx, args...)
	if err != nil {
		return 0, err
	}
	return asInteger(args[0], reply)
}

// exists asks whether there is a key.
func (c Conn) exists(ctx context.Context, key string) (bool, error) {
	n, err := c.integer(ctx, "EXISTS", key)
	return n == 1, err
}

// asInteger returns the integer of a reply.
func asInteger(name, reply any) (int64, error) {
	switch n := reply.(type) {
	case int64:
		return n, nil
	case int:
		return int64(n), nil
	}
	return 0, fmt.Errorf("%v: %w %T, want an integer", name, ErrReply, reply)
}

// asBytes returns the bytes of a reply that has some.
func asBytes(reply any) ([]byte, bool) {
	switch b := reply.(type) {
	case string:
		return []byte(b), true
	case []byte:
		return b, true
	}
	return nil, false
}

// asFields returns the named values of a reply: names and values in turn, or in RESP3 a map of them.
func asFields(name string, reply any) (map[string]any, error) {
	list, ok := reply.([]any)
	if pairs, mapped := reply.(map[any]any); mapped {
		ok = true
		for field, value := range pairs {
			list = append(list, field, value)
		}
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w %T", name, ErrReply, reply)
	}
	fields := map[string]any{}
	for k := 0; k+1 < len(list); k += 2 {
		text, ok := asBytes(list[k])
		if !ok {
			return nil, fmt.Errorf("%s: %w: %T where a name should be", name, ErrReply, list[k])
		}
		fields[string(text)] = list[k+1]
	}
	return fields, nil
}
