package wiretest

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

// cluster returns a cluster that ends with the test.
func cluster(t *testing.T, n int, stale bool) *Cluster {
	t.Helper()
	c, err := NewCluster(n, stale)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Servers {
		t.Cleanup(s.Close)
	}
	return c
}

// keyOf returns a key whose slot a node has.
func keyOf(c *Cluster, node int) string {
	for k := 0; ; k++ {
		if key := fmt.Sprintf("key-%d", k); c.Node(key) == node {
			return key
		}
	}
}

// TestCluster_SendsKeysToTheirNodes asks every node for the keys of every node.
func TestCluster_SendsKeysToTheirNodes(t *testing.T) {
	c := cluster(t, 3, false)
	for node := range c.Servers {
		s := dial(t, c.Addr(node))
		for owner := range c.Servers {
			key := keyOf(c, owner)
			if owner == node {
				s.says(":1", "CF.ADD", key, "x")
				s.says(":1", "CF.EXISTS", key, "x")
				continue
			}
			moved := fmt.Sprintf("-MOVED %d %s", wire.Slot(key), c.Addr(owner))
			s.says(moved, "CF.ADD", key, "x")
			s.says("+OK", "ASKING")
			s.says(":0", "EXISTS", key) // it is answered once, by a node that has no such key
			s.says(moved, "EXISTS", key)
		}
		own := keyOf(c, node)
		s.says("-CROSSSLOT Keys in request don't hash to the same slot", "RENAME", own, own+"-of-another-slot")
		s.says("+OK", "RENAME", own, "{"+own+"}:2")
		s.says("*1", "MODULE", "LIST")
	}
}

// TestCluster_SaysItsSlots reads CLUSTER SLOTS, also of a cluster that is behind the times.
func TestCluster_SaysItsSlots(t *testing.T) {
	for _, stale := range []bool{false, true} {
		c := cluster(t, 3, stale)
		var ends []int64
		for k, run := range c.slots() {
			run := run.([]any)
			ends = append(ends, run[0].(int64), run[1].(int64))
			node := run[2].([]any)
			addr := fmt.Sprintf("%s:%d", node[0], node[1])
			if got, want := addr == c.Addr(k), !stale; got != want {
				t.Errorf("stale=%v: run %d is at %s, node %d at %s", stale, k, addr, k, c.Addr(k))
			}
			for _, slot := range []int64{run[0].(int64), run[1].(int64)} {
				if owner := int(slot) * len(c.Servers) / wire.Slots; owner != k {
					t.Errorf("slot %d is said to be of node %d and is of %d", slot, k, owner)
				}
			}
		}
		if want := []int64{0, 5461, 5462, 10922, 10923, wire.Slots - 1}; fmt.Sprint(ends) != fmt.Sprint(want) {
			t.Errorf("runs of slots %v, want %v", ends, want)
		}
		s := dial(t, c.Addr(0))
		s.says("-ERR unknown subcommand", "CLUSTER", "NODES")
		s.says("*3", "CLUSTER", "SLOTS")
		dial(t, c.Addr(1)).says(fmt.Sprintf("$%d", len("cluster_enabled:1\r\ncluster_state:ok\r\n")), "CLUSTER", "INFO")
	}
	speak(t, NewServer()).says("-ERR This instance has cluster support disabled", "CLUSTER", "INFO")
}

// TestServer_DropsAConnectionInsideACommand: what was not whole is not executed.
func TestServer_DropsAConnectionInsideACommand(t *testing.T) {
	s := NewServer()
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.DropAfter(12)
	c := dial(t, addr)
	c.send("CF.ADD", "a", strings.Repeat("x", 100))
	if line, err := c.r.ReadString('\n'); err == nil {
		t.Fatalf("the reply is %q, want a closed connection (%v)", line, io.EOF)
	}
	if !s.Dropped() {
		t.Error("the server does not say that it has closed the connection")
	}
	dial(t, addr).says(":0", "EXISTS", "a")
}

// TestError_IsOneOfTheServer holds the method by which go-redis tells replies from broken connections.
func TestError_IsOneOfTheServer(t *testing.T) {
	var err interface {
		error
		RedisError()
	} = Error("ERR no")
	if err.RedisError(); err.Error() != "ERR no" {
		t.Error(err)
	}
}
