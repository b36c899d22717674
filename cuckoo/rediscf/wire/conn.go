package wire

import (
	"context"
	"errors"
	"fmt"
)

// Conn sends commands in order and returns their replies. Each command is its name and its arguments,
// which are strings, int64 and []byte. A reply is an int64, a string or []byte, nil, or a slice or a map of
// such; where the server replied an error to any of them, or the connection failed, err is it.
//
// Where the server replied an error, a method RedisError of it, as go-redis's errors have, lets [Over] and [OneByOne]
// tell that from a connection that failed.
//
// The commands of one call should go out together. A Conn must not use the arguments after it returned,
// and should retry nothing: a header or a rename that is sent twice is refused the second time.
type Conn func(ctx context.Context, commands [][]any) (replies []any, err error)

// Reply is the pending reply of a command, such as *redis.Cmd of go-redis.
type Reply interface {
	// Result returns the reply, or the error that the server replied or the connection failed with.
	Result() (any, error)
}

// Pipeline collects commands and sends them together, such as redis.Pipeliner of go-redis.
type Pipeline[C Reply, R any] interface {
	// Do adds a command.
	Do(ctx context.Context, args ...any) C
	// Exec sends the commands and waits for all replies.
	Exec(ctx context.Context) ([]R, error)
}

// Pipeliner is a client that makes pipelines, such as *redis.Client of go-redis.
type Pipeliner[P any] interface {
	// Pipeline returns an empty pipeline.
	Pipeline() P
}

// Over returns the connection of a client of go-redis, or one with the same methods. The type arguments
// are inferred: wire.Over(client). It is safe for concurrent use where the client is.
//
// Let the client not retry (MaxRetries: -1) when pushing, and see to it that ReadTimeout and WriteTimeout
// are long enough for [PushOptions.InFlight] bytes. The context is checked between calls. Whether it ends a
// call that has begun depends on the client (ContextTimeoutEnabled). The client of a cluster must send
// commands that read to masters (no ReadOnly): a replica may not have what was just loaded. For
// [PushOptions.Verify] it is the other way about.
//
// How much memory a reply takes before this package sees it depends on the client too: go-redis allocates
// the length that the server announces, so Limits do not protect against a server that wants to do harm. To
// pull from such a server, give the client a Dialer whose connections bound the length.
func Over[P Pipeline[C, R], C Reply, R any](client Pipeliner[P]) Conn {
	return func(ctx context.Context, commands [][]any) ([]any, error) {
		pipe := client.Pipeline()
		pending := make([]C, len(commands))
		for k, args := range commands {
			pending[k] = pipe.Do(ctx, args...)
		}
		_, failed := pipe.Exec(ctx)
		replies := make([]any, len(commands))
		for k, c := range pending {
			reply, err := c.Result()
			if err != nil {
				return nil, failedAt(commands, k, err)
			}
			replies[k] = reply
		}
		return replies, failed
	}
}

// OneByOne returns a connection that waits for each reply before it sends the next command. With go-redis
// do would be
//
//	func(ctx context.Context, args ...any) (any, error) { return client.Do(ctx, args...).Result() }
func OneByOne(do func(ctx context.Context, args ...any) (any, error)) Conn {
	return func(ctx context.Context, commands [][]any) ([]any, error) {
		replies := make([]any, len(commands))
		for k, args := range commands {
			reply, err := do(ctx, args...)
			if err != nil {
				return nil, failedAt(commands, k, err)
			}
			replies[k] = reply
		}
		return replies, nil
	}
}

// refusal is an error that the server replied to one of several commands, which it therefore did not execute.
type refusal struct {
	at int // the number of the command
	error
}

// Unwrap returns the error.
func (r *refusal) Unwrap() error { return r.error }

// failedAt puts the name of the command that failed into an error. Errors that a server replied have a method
// RedisError in go-redis; of other clients' nothing is known.
func failedAt(commands [][]any, k int, err error) error {
	named := fmt.Errorf("%v: %w", commands[k][0], err)
	if _, ok := errors.AsType[interface {
		error
		RedisError()
	}](err); ok {
		return &refusal{k, named}
	}
	return named
}

// command is one command as a Conn takes it.
func command(args ...any) []any { return args }

// do sends commands unless the context has ended.
func (c Conn) do(ctx context.Context, commands ...[]any) ([]any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	replies, err := c(ctx, commands)
	if err == nil && len(replies) != len(commands) {
		err = fmt.Errorf("%w: %d replies to %d commands", ErrReply, len(replies), len(commands))
	}
	return replies, err
}

// integer sends one command that replies an integer.
func (c Conn) integer(ctx context.Context, args ...any) (int64, error) {
	replies, err := c.do(ctx, args)
	if err != nil {
		return 0, err
	}
	return asInteger(args[0], replies[0])
}

// exists asks whether there is a key.
func (c Conn) exists(ctx context.Context, key string) (bool, error) {
	n, err := c.integer(ctx, "EXISTS", key)
	if err == nil && n != 0 && n != 1 {
		err = fmt.Errorf("EXISTS: %w %d, want 0 or 1", ErrReply, n)
	}
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

// asOK returns an error unless the reply is OK.
func asOK(name, reply any) error {
	if text, ok := asBytes(reply); ok && string(text) == "OK" {
		return nil
	}
	return fmt.Errorf("%v: %w %.40q, want OK", name, ErrReply, fmt.Sprint(reply))
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
