package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/nestfilter/nest/experiments/must"
)

// listenCluster starts a cluster of three.
func listenCluster(t *testing.T, stale bool) *wiretest.Cluster {
	t.Helper()
	c := must.Get(wiretest.NewCluster(3, stale))(t)
	t.Cleanup(func() {
		for _, s := range c.Servers {
			s.Close()
		}
	})
	return c
}

// manyKeys is a file of n keys.
func manyKeys(t *testing.T, dir string, n int) string {
	return writeKeys(t, dir, "many.txt", numberedLines(n))
}

// TestRedis_Cluster pushes, pulls and asks through each node of a cluster: of one whose slots are where it says, and of
// one that answers every first command MOVED.
func TestRedis_Cluster(t *testing.T) {
	dir := t.TempDir()
	keys := manyKeys(t, dir, 500)
	for _, stale := range []bool{false, true} {
		c := listenCluster(t, stale)
		for node := range c.Servers {
			key := fmt.Sprint("set", node)
			_, stderr := succeeds(t, "push", "--keys", keys, c.Addr(node), key)
			if !strings.HasPrefix(stderr, "pushed to cluster of "+c.Addr(node)+", key ") || strings.Count(stderr, "\n") != 1 {
				t.Error(stderr)
			}
			holdsFilter(t, c.Servers[c.Node(key)], key, 500)
			file := filepath.Join(dir, key)
			other := c.Addr((node + 1) % 3)
			succeeds(t, "pull", other, key, "--force", "-o", file)
			succeeds(t, "push", file, other, key, "--force", "-q")
			says(t, exitOK, "items                    500\n", "", "redis", "info", other, key)
			refuses(t, "--force replaces it", "push", file, other, key)
		}
		for node, s := range c.Servers {
			for _, key := range s.Keys() {
				if c.Node(key) != node || s.Expires(key) != 0 {
					t.Errorf("stale %v: node %d has %q", stale, node, key)
				}
			}
		}
		refuses(t, "database 0 only", "info", "redis://"+c.Addr(0)+"/3", "set0")
	}
}

// TestRedis_ClusterAsk moves a slot: its old node answers ASK for all that it does not have, which is everything.
func TestRedis_ClusterAsk(t *testing.T) {
	keys := manyKeys(t, t.TempDir(), 50)
	c := listenCluster(t, false)
	from := c.Node("k")
	to := (from + 1) % 3
	ask := wiretest.Error(fmt.Sprintf("ASK %d %s", wire.Slot("k"), c.Addr(to)))
	c.Servers[from].SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] == "MODULE" {
			return wiretest.Fault{}
		}
		return wiretest.Fault{Reply: ask}
	})
	succeeds(t, "push", "--keys", keys, c.Addr(from), "k")
	if holdsFilter(t, c.Servers[to], "k", 50); len(c.Servers[from].Keys()) != 0 {
		t.Errorf("the old node has %q", c.Servers[from].Keys())
	}
}

// TestRedis_Shards ships shards to a cluster, to a single server, and through a file.
func TestRedis_Shards(t *testing.T) {
	dir := t.TempDir()
	keys := manyKeys(t, dir, 3000)
	c := listenCluster(t, true)
	_, stderr := succeeds(t, "push", "--keys", keys, "--shards", "16", c.Addr(1), "people")
	if want := fmt.Sprintf("pushed to cluster of %s, key \"people\": 16 shards, ", c.Addr(1)); !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, "items:3000, load ") {
		t.Errorf("%s, want %s", stderr, want)
	}
	file := filepath.Join(dir, "people.cfs")
	succeeds(t, "pull", c.Addr(0), "people", "--shards", "16", "-o", file)
	_, addr := listenRedis(t)
	expect(t, "line 7\nnone\n", []string{"filter", "query", file}, exitOK, "line 7\n", "")
	succeeds(t, "push", file, addr, "people")
	succeeds(t, "push", file, addr, "people", "--force", "--shards", "16", "-q")
	data := must.Get(os.ReadFile(file))(t)
	if stdout, _ := succeeds(t, "pull", addr, "people", "--shards", "16", "-o", "-", "-q"); stdout != string(data) {
		t.Errorf("a single server gives %d bytes, the cluster %d", len(stdout), len(data))
	}
	_, shards, err := wire.ReadDumps(bytes.NewReader(data), rediscf.Limits{})
	if err != nil || shards.N() != 16 || !shards.ExistsString("line 7") {
		t.Fatal(err)
	}
	for i := range 16 {
		key := wire.ShardKey("people", i)
		f := holdsFilter(t, c.Servers[c.Node(key)], key, shards.Filter(i).Len())
		if f.Info() != shards.Filter(i).Info() || f.Info().Filters != 1 {
			t.Errorf("shard %d: %v", i, f)
		}
	}
	stdout, _ := succeeds(t, "info", c.Addr(2), "people", "--shards", "16")
	if has(t, stdout, "items                    3000\n", " each\n"); !strings.HasPrefix(stdout, "shards                   16\n") {
		t.Error(stdout)
	}
	one := filepath.Join(dir, "one.cfd")
	succeeds(t, "push", "--keys", keys, addr, "one")
	succeeds(t, "pull", addr, "one", "-o", one)
	words := strings.NewReplacer("KEYS", keys, "FILE", file, "ONE", one, "ADDR", addr)
	for line, want := range map[string]string{
		"push --keys KEYS ADDR k --shards 0":                 `"0" for "--shards" flag: want`,
		"pull ADDR people -o - --shards 16385":               "--shards: 16385: want 1..16384",
		"push FILE ADDR k --shards 8":                        "--shards: 8: FILE has 16",
		"push ONE ADDR k --shards 8":                         "has one filter; shards are made of --keys",
		"push FILE ADDR people":                              "--force replaces it",
		"pull ADDR people -o - --shards 15":                  "are not 15 shards but more",
		"info ADDR people --shards 17":                       "filter not found",
		"push --keys KEYS ADDR a{b --shards 3":               "the name has a {",
		"push FILE ADDR k --max-bytes 3000":                  "table too large",
		"pull ADDR people -o - --shards 16 --max-bytes 3000": "table too large",
	} {
		expect(t, "", strings.Fields("redis "+words.Replace(line)), exitUsage, "", words.Replace(want))
	}
}

// TestRedis_Verify has a server with a replica that got the chunks, one that did not, and none.
func TestRedis_Verify(t *testing.T) {
	keys := manyKeys(t, t.TempDir(), 100)
	f := must.Get(rediscf.New(rediscf.Config{Capacity: 111, BucketSize: 4, MaxIterations: 500}))(t)
	for k := range 100 {
		must.Do(t, f.AddString(fmt.Sprint("line ", k+1)))
	}
	replica, addr := listenRedis(t)
	got := true
	replica.SetFault(func(_ int, args []string) wiretest.Fault {
		if args[0] == "CF.COUNT" && got {
			return wiretest.Fault{Reply: int64(f.CountString(args[2]))}
		}
		return wiretest.Fault{Reply: int64(0)}
	})
	s, master := listenRedis(t)
	replies := map[string]any{"ROLE": roleOf(t, addr), "MODULE": []any{[]any{"name", "bf", "ver", int64(80800)}}}
	replying(s, replies)
	if _, stderr := succeeds(t, "push", "--keys", keys, master, "k", "--verify"); strings.Count(stderr, "\n") != 1 {
		t.Error(stderr)
	}
	if n := len(replica.Log()); n == 0 {
		t.Error("the replica was not asked")
	}
	got = false
	refuses(t, "; see Data loss on replicas in docs/REDIS.md", "push", "--keys", keys, master, "k2", "--verify", "--timeout", "200ms")
	if len(s.Keys()) != 1 {
		t.Errorf("the server has %q", s.Keys())
	}
	const warning = "nest: warning: redis: %s/0: loaded chunks may not reach replicas and the append-only file: the server's module has version 8.8.0,"
	_, stderr := succeeds(t, "push", "--keys", keys, master, "k3")
	if !strings.HasPrefix(stderr, fmt.Sprintf(warning, master)) {
		t.Error(stderr)
	}
	if _, stderr = succeeds(t, "push", "--keys", keys, master, "k4", "-q"); stderr != "" {
		t.Error(stderr)
	}
	replies["ROLE"] = []any{"master", int64(0), []any{}}
	if _, stderr = succeeds(t, "push", "--keys", keys, master, "k5", "--verify"); !strings.Contains(stderr, "there is no replica") ||
		!strings.Contains(stderr, fmt.Sprintf(warning, master)) {
		t.Error(stderr)
	}
	s.SetFault(nil)
	refuses(t, "--verify: ROLE: ", "push", "--keys", keys, master, "k6", "--verify")
}

// roleOf is what a server with that replica replies to ROLE.
func roleOf(t *testing.T, replica string) any {
	t.Helper()
	host, port, err := net.SplitHostPort(replica)
	must.Do(t, err)
	return []any{"master", int64(0), []any{[]any{host, port, "0"}}}
}

// TestRedis_InterruptWhileVerifying interrupts a push that waits for a replica, of one filter and of shards: the
// connections to the server are idle then.
func TestRedis_InterruptWhileVerifying(t *testing.T) {
	keys := manyKeys(t, t.TempDir(), 100)
	for _, shards := range []string{"", " --shards 5"} {
		ctx, cancel := context.WithCancel(t.Context())
		replica, addr := listenRedis(t)
		var asked atomic.Int32
		replica.SetFault(func(int, []string) wiretest.Fault {
			if asked.Add(1) == 300 {
				cancel()
			}
			return wiretest.Fault{Reply: int64(0)}
		})
		s, master := listenRedis(t)
		replying(s, map[string]any{"ROLE": roleOf(t, addr)})
		line := "redis push --verify --keys " + keys + " " + master + " k" + shards
		status, _, stderr := executeIn(ctx, "", strings.Fields(line)...)
		if want := "nest: interrupted, nothing was written\n"; status != exitInterrupted || stderr != want || len(s.Keys()) != 0 {
			t.Errorf("%q: status %d, %q, want %q; the server has %q", shards, status, stderr, want, s.Keys())
		}
		cancel()
	}
}

// TestRedis_VerifyCluster asks the nodes themselves where they have no replicas.
func TestRedis_VerifyCluster(t *testing.T) {
	keys := manyKeys(t, t.TempDir(), 300)
	c := listenCluster(t, false)
	says(t, exitOK, "", "pushed to", "redis", "push", "--keys", keys, c.Addr(0), "people", "--shards", "8", "--verify")
}
