package goredis_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/redis/go-redis/v9"
)

// eachRecording calls do with each recording of package rediscf, about some key.
func eachRecording(t *testing.T, key string, do func(t *testing.T, r *wiretest.Recording)) {
	t.Helper()
	files, err := filepath.Glob("../../cuckoo/rediscf/testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			r, err := wiretest.ReadRecording(file, key)
			noError(t, err)
			do(t, r)
		})
	}
}

// TestGolden_EveryExchangeOverTCP sends every recorded command with go-redis, and demands the recorded replies:
// of a server that replays the recording and refuses all else, of the one that has filters, and of a server
// with CF.* where there is one.
func TestGolden_EveryExchangeOverTCP(t *testing.T) {
	key := "nest-test-" + rand.Text()
	eachRecording(t, key, func(t *testing.T, r *wiretest.Recording) {
		script := wiretest.NewScript(r.Exchanges)
		client, _ := listen(t, script)
		replay(t, client, r.Exchanges)
		if err := script.Err(); err != nil {
			t.Error(err)
		}
		client, _ = listen(t, wiretest.NewServer())
		replay(t, client, r.Exchanges)
		if addr := os.Getenv(addressVariable); addr != "" {
			client = connect(t, redis.Options{Addr: addr, Protocol: 2, Password: os.Getenv("REDISCLI_AUTH")})
			replay(t, client, r.Exchanges)
			client.Del(context.WithoutCancel(t.Context()), key)
		}
	})
}

// replay sends the commands, a thousand at a time.
func replay(t *testing.T, client *redis.Client, list []wiretest.Exchange) {
	t.Helper()
	for len(list) > 0 {
		batch := list[:min(1000, len(list))]
		list = list[len(batch):]
		pipe := client.Pipeline()
		for _, e := range batch {
			pipe.Do(t.Context(), arguments(e.Command)...)
		}
		replies, _ := pipe.Exec(t.Context()) // its error is that of one of them
		for k, e := range batch {
			got, err := replies[k].(*redis.Cmd).Result()
			if want, isError := e.Reply.(wiretest.Error); isError {
				if err == nil || err.Error() != string(want) {
					t.Fatalf("%.60q: %v, the recorded server %v", e.Command, err, want)
				}
				continue
			}
			if want := plain(e.Reply); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%.60q: %.80q, %v, the recorded server %.80q", e.Command, got, err, want)
			}
		}
	}
}

// plain is a reply as go-redis gives it.
func plain(reply any) any {
	switch r := reply.(type) {
	case wiretest.Status:
		return string(r)
	case []byte:
		return string(r)
	case []any:
		list := make([]any, len(r))
		for k := range r {
			list[k] = plain(r[k])
		}
		return list
	}
	return reply
}

// arguments are the arguments as go-redis takes them.
func arguments(list []string) []any {
	args := make([]any, len(list))
	for k, a := range list {
		args[k] = a
	}
	return args
}

// TestGolden_OverTCP pulls each recorded dump from a server that answers nothing else, and pushes it to one that
// takes nothing else.
func TestGolden_OverTCP(t *testing.T) {
	eachRecording(t, "golden", func(t *testing.T, r *wiretest.Recording) {
		s := wiretest.NewScript(r.Pull("golden"))
		client, _ := listen(t, s)
		f, err := wire.Pull(t.Context(), wire.Over(client), "golden", wire.PullOptions{})
		noError(t, errors.Join(err, s.Err()))
		if f.Info() != r.Info {
			t.Fatalf("pulled %v", f.Info())
		}
		s = wiretest.NewScript(r.Push("golden", 3_600_000))
		client, _ = listen(t, s)
		err = wire.Push(t.Context(), wire.Over(client), "golden", f, wire.PushOptions{})
		noError(t, errors.Join(err, s.Err()))
	})
}
