package wiretest

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

// Cluster is several servers that listen and share the slots of a Redis Cluster out in equal runs.
type Cluster struct {
	// Servers are the nodes. Each answers MOVED for the keys of the others.
	Servers []*Server
	addrs   []string
	stale   bool
}

// NewCluster returns n servers that listen. Close each.
//
// With stale set the slots that CLUSTER SLOTS says are those of the node before, so that every command of a client
// that believes it is answered MOVED.
func NewCluster(n int, stale bool) (*Cluster, error) {
	c := &Cluster{stale: stale}
	for range n {
		s := NewServer()
		addr, err := s.Listen()
		if err != nil {
			for _, s := range c.Servers {
				s.Close()
			}
			return nil, err
		}
		c.Servers, c.addrs = append(c.Servers, s), append(c.addrs, addr)
	}
	for _, s := range c.Servers {
		s.lock.Lock()
		s.cluster = c
		s.lock.Unlock()
	}
	return c, nil
}

// Addr returns the address of a node.
func (c *Cluster) Addr(node int) string { return c.addrs[node] }

// Node returns the number of the node that has the slot of a key.
func (c *Cluster) Node(key string) int { return wire.Slot(key) * len(c.Servers) / wire.Slots }

// clusterCommand answers CLUSTER SLOTS and CLUSTER INFO.
func (s *Server) clusterCommand(args []string) reply {
	s.lock.Lock()
	c := s.cluster
	s.lock.Unlock()
	if c == nil {
		return Error("ERR This instance has cluster support disabled")
	}
	switch strings.ToUpper(strings.Join(args[1:], " ")) {
	case "INFO":
		return "cluster_enabled:1\r\ncluster_state:ok\r\n"
	case "SLOTS":
		return c.slots()
	}
	return Error("ERR unknown subcommand")
}

// slots is the reply to CLUSTER SLOTS.
func (c *Cluster) slots() []any {
	var list []any
	n := len(c.Servers)
	for k := range c.Servers {
		first, end := (k*wire.Slots+n-1)/n, ((k+1)*wire.Slots+n-1)/n
		node := k
		if c.stale {
			node = (k + 1) % n
		}
		host, port, _ := net.SplitHostPort(c.addrs[node]) // it is from a listener
		number, _ := strconv.Atoi(port)
		list = append(list, []any{int64(first), int64(end - 1), []any{host, int64(number), fmt.Sprintf("%040d", node)}})
	}
	return list
}

// elsewhere is MOVED where a command's key is another node's, else nil. Two keys of different slots are CROSSSLOT.
func (s *Server) elsewhere(args []string) reply {
	s.lock.Lock()
	c := s.cluster
	s.lock.Unlock()
	if c == nil || len(args) < 2 || strings.EqualFold(args[0], "MODULE") {
		return nil
	}
	key := args[1]
	if strings.HasPrefix(strings.ToUpper(args[0]), "RENAME") && len(args) > 2 && wire.Slot(key) != wire.Slot(args[2]) {
		return Error("CROSSSLOT Keys in request don't hash to the same slot")
	}
	if node := c.Node(key); c.Servers[node] != s {
		return Error(fmt.Sprintf("MOVED %d %s", wire.Slot(key), c.addrs[node]))
	}
	return nil
}
