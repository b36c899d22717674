// Package goredis_test ships filters with the client go-redis over TCP: to the server of package wiretest
// and, where the environment variables NEST_REDIS_ADDR and NEST_REDIS_CLUSTER name a server with the commands
// CF.* and a node of a cluster of such, to those.
package goredis_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/redis/go-redis/v9"
)

// addressVariable names a server with CF.* to run TestServer against, clusterVariable a node of a cluster.
const (
	addressVariable = "NEST_REDIS_ADDR"
	clusterVariable = "NEST_REDIS_CLUSTER"
)

func connect(t *testing.T, o redis.Options) *redis.Client {
	t.Helper()
	o.MaxRetries, o.DialerRetries = -1, 1
	client := redis.NewClient(&o)
	t.Cleanup(func() { client.Close() })
	return client
}

// listen starts a server and returns a client of it.
func listen(t *testing.T, s *wiretest.Server) (client *redis.Client, addr string) {
	t.Helper()
	addr, err := s.Listen()
	noError(t, err)
	t.Cleanup(s.Close)
	return connect(t, redis.Options{Addr: addr, Protocol: 2}), addr
}

func filled(t *testing.T, c rediscf.Config, n int) *rediscf.Filter {
	t.Helper()
	f, err := rediscf.New(c)
	noError(t, err)
	for k := range n {
		noError(t, f.AddString(fmt.Sprint("key ", k)))
	}
	return f
}

// dumped returns all bytes of a filter's dump.
func dumped(f *rediscf.Filter) (b []byte) {
	for _, chunk := range f.Scan() {
		b = append(b, chunk...)
	}
	return b
}

func equal(f, g *rediscf.Filter) bool {
	return g != nil && f.Info() == g.Info() && bytes.Equal(dumped(f), dumped(g))
}

// samples are filters of several shapes; the largest has chunks of 16 MiB and a rest.
func samples(t *testing.T) map[string]*rediscf.Filter {
	list := map[string]*rediscf.Filter{
		"plain":     filled(t, rediscf.Config{Capacity: 1000}, 100),
		"grown":     filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 2000),
		"no growth": filled(t, rediscf.Config{Capacity: 1 << 18, BucketSize: 4, Expansion: rediscf.NoGrowth}, 1000),
		"empty":     filled(t, rediscf.Config{Capacity: 600, BucketSize: 3, MaxIterations: 9, Expansion: 3}, 0),
	}
	if !testing.Short() {
		list["large"] = filled(t, rediscf.Config{Capacity: 3 << 23, BucketSize: 3}, 100_000)
	}
	return list
}

// TestServer ships filters and shards there and back, and asks the server about keys.
func TestServer(t *testing.T) {
	for variable, kind := range map[string]string{"": "server", addressVariable: "server", clusterVariable: "node of a cluster"} {
		t.Run(cmp.Or(variable, "wiretest"), func(t *testing.T) {
			addr := os.Getenv(variable)
			switch {
			case variable == "":
				client, _ := listen(t, wiretest.NewServer())
				shipAll(t, client)
				shipShards(t, client, nil)
			case addr == "":
				t.Skipf("the environment variable %s names no %s with CF.*: set it to host:port to test against one", variable, kind)
			case variable == addressVariable:
				shipAll(t, connect(t, redis.Options{Addr: addr, Password: os.Getenv("REDISCLI_AUTH")}))
			default:
				client := cluster(t, addr, false)
				shipAll(t, client)
				shipShards(t, client, wire.Over(cluster(t, addr, true)))
			}
		})
	}
	t.Run("wiretest cluster", func(t *testing.T) {
		c, err := wiretest.NewCluster(3, false)
		noError(t, err)
		for _, s := range c.Servers {
			t.Cleanup(s.Close)
		}
		shipShards(t, cluster(t, c.Addr(1), false), nil)
	})
}

// cluster returns a client of a cluster; one that reads asks replicas.
func cluster(t *testing.T, addr string, reads bool) *redis.ClusterClient {
	t.Helper()
	client := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: []string{addr}, Password: os.Getenv("REDISCLI_AUTH"), Protocol: 2, MaxRetries: -1, ReadOnly: reads,
	})
	t.Cleanup(func() { client.Close() })
	return client
}

// shipShards ships shards there and back, and has a replica verify them if there is one.
func shipShards(t *testing.T, client redis.UniversalClient, replica wire.Conn) {
	ctx, conn := t.Context(), wire.Over(client)
	name := "nest-test-" + rand.Text()
	s, err := wire.NewShards(12, rediscf.Config{Capacity: 1000, BucketSize: 4})
	noError(t, err)
	for k := range 20_000 {
		noError(t, s.AddString(fmt.Sprint("key ", k)))
	}
	t.Cleanup(func() {
		for i := range s.N() {
			_, _ = conn(context.WithoutCancel(ctx), [][]any{{"DEL", wire.ShardKey(name, i)}})
		}
	})
	noError(t, wire.PushShards(ctx, conn, name, s, wire.PushOptions{Chunk: 300, Verify: replica}))
	got, err := wire.PullShards(ctx, conn, name, s.N(), wire.PullOptions{})
	noError(t, err)
	for i := range s.N() {
		if !equal(s.Filter(i), got.Filter(i)) {
			t.Errorf("shard %d differs", i)
		}
	}
	for k := range 300 {
		item := fmt.Sprint("key ", 70*k)
		key := wire.ShardKey(name, wire.Shard(rediscf.DigestString(item), s.N()))
		replies, err := conn(ctx, [][]any{{"CF.EXISTS", key, item}})
		if err != nil || (replies[0] == int64(1)) != s.ExistsString(item) {
			t.Fatalf("%q exists: %v, %v", item, replies, err)
		}
	}
}

func shipAll(t *testing.T, client redis.UniversalClient) {
	ctx, conn := t.Context(), wire.Over(client)
	prefix := "nest-test-" + rand.Text()
	for name, f := range samples(t) {
		key := prefix + name
		t.Cleanup(func() { client.Del(context.WithoutCancel(ctx), key) })
		for _, o := range []wire.PushOptions{{}, {Chunk: 1 << 16, InFlight: 1 << 18, Overwrite: true}} {
			noError(t, wire.Push(ctx, conn, key, f, o))
			g, err := wire.Pull(ctx, conn, key, wire.PullOptions{})
			if err != nil || !equal(f, g) {
				t.Fatalf("%s: pulled another filter, %v", name, err)
			}
		}
		if err := wire.Push(ctx, conn, key, f, wire.PushOptions{}); !errors.Is(err, rediscf.ErrExists) {
			t.Fatalf("%s: %v", name, err)
		}
		if left, err := client.PTTL(ctx, key).Result(); err == nil && left > 0 {
			t.Errorf("%s: the key expires in %v", name, left)
		}
		for k := range 300 {
			item := fmt.Sprint("key ", 7*k)
			got, err := client.CFExists(ctx, key, item).Result()
			if err != nil || got != f.ExistsString(item) {
				t.Fatalf("%s: %q exists: %v, %v", name, item, got, err)
			}
		}
	}
	if _, err := wire.Pull(ctx, conn, prefix+"nobody", wire.PullOptions{}); !errors.Is(err, rediscf.ErrNotFound) {
		t.Error(err)
	}
}

// TestPush_DroppedAfterAnyByte closes the connection after each number of bytes of a push, in strides. A temporary
// key may be left where the server executes what had come after the DEL of the next connection.
//
// The client's connection for pipelines is made before the bytes are counted: when its handshake is broken off, the
// client takes another one and the push succeeds. It does so too when the last byte is that of a pipeline.
func TestPush_DroppedAfterAnyByte(t *testing.T) {
	f, old := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500), filled(t, rediscf.Config{}, 3)
	o := wire.PushOptions{Chunk: 300, InFlight: 700, Overwrite: true}
	s := wiretest.NewServer()
	client, _ := listen(t, s)
	conn := wire.Over(client)
	stride := int64(7)
	if testing.Short() {
		stride = 61
	}
	n, refused := int64(0), 0
	for dropped := true; dropped; dropped = s.Dropped() {
		n += stride
		for _, key := range s.Keys() {
			s.Delete(key)
		}
		s.Put("k", old)
		_, err := conn(t.Context(), [][]any{{"EXISTS", "k"}})
		noError(t, err)
		s.DropAfter(n)
		err = wire.Push(t.Context(), conn, "k", f, o)
		got, gotErr := s.Filter("k")
		if gotErr != nil || got == nil || s.Expires("k") != 0 {
			t.Fatalf("%d bytes: the key has half a filter or none, or expires: %v; %v", n, gotErr, err)
		}
		switch renamed := equal(got, f); {
		case err == nil && renamed:
			continue
		case err == nil, !renamed && !equal(got, old):
			t.Fatalf("%d bytes: the key has another filter; %v", n, err)
		case renamed != errors.Is(err, wire.ErrUncertain):
			t.Fatalf("%d bytes: renamed %v; %v", n, renamed, err)
		}
		refused++
	}
	s.DropAfter(-1)
	if sent := int64(len(dumped(f))); n <= sent || int64(refused) < sent/stride {
		t.Errorf("%d pushes failed, the last was dropped after %d bytes; the filter alone has %d", refused, n, sent)
	}
}

// TestPush_SlowServerAndDeadline lets a server keep a chunk waiting.
func TestPush_SlowServerAndDeadline(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 64, Expansion: 2}, 500)
	s := wiretest.NewServer()
	_, addr := listen(t, s)
	client := connect(t, redis.Options{Addr: addr, Protocol: 2, ContextTimeoutEnabled: true})
	release := make(chan struct{})
	s.SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] == "CF.LOADCHUNK" && args[2] != "1" {
			return wiretest.Fault{Wait: release, Before: true}
		}
		return wiretest.Fault{}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := wire.Push(ctx, wire.Over(client), "k", f, wire.PushOptions{Chunk: 300, InFlight: 700})
	close(release)
	if err == nil || errors.Is(err, wire.ErrLeftover) || len(s.Keys()) != 0 {
		t.Errorf("%v; the server has %q", err, s.Keys())
	}
}

// TestOver_Clients compiles with every kind of client, and says which command failed.
func TestOver_Clients(t *testing.T) {
	_, addr := listen(t, wiretest.NewServer())
	universal := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{addr}, MaxRetries: -1})
	defer universal.Close()
	var cluster *redis.ClusterClient
	_ = wire.Over(cluster)
	_, err := wire.Over(universal)(t.Context(), [][]any{{"EXISTS", "k"}, {"CF.INFO", "k"}, {"EXISTS", "k"}})
	if err == nil || err.Error() != "CF.INFO: ERR not found" {
		t.Error(err)
	}
	replies, err := wire.Over(universal)(t.Context(), [][]any{{"EXISTS", "k"}, {"CF.RESERVE", "k", 100}, {"EXISTS", "k"}})
	if err != nil || fmt.Sprint(replies) != "[0 OK 1]" {
		t.Error(replies, err)
	}
	nobody := wire.Over(connect(t, redis.Options{Addr: "127.0.0.1:1"}))
	if err := wire.Push(t.Context(), nobody, "k", filled(t, rediscf.Config{}, 1), wire.PushOptions{}); err == nil {
		t.Error("nobody is there")
	}
}

// noError ends a test at an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
