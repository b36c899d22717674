package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

// redisServer is a connection to a server, or to the cluster that it is a node of.
type redisServer struct {
	client  redis.UniversalClient
	conn    wire.Conn
	name    string // host:port/db, or that of a cluster's node, without the password
	options *redis.Options
	closes  []func() error

	mastersAsked atomic.Int64 // calls for samples that had to be asked of a master
}

// dialRedis returns the connection for an address. It asks whether the server is a node of a
// cluster; then the client follows its redirections.
//
// An interrupt ends what is under way at once: it closes the connections that were made before it. To clean up
// there is a client of its own from then on, whose connections go on: the first may have idle ones, which are closed.
func dialRedis(ctx context.Context, addr string, timeout time.Duration) (*redisServer, error) {
	o, err := redisOptions(addr)
	if err != nil {
		return nil, err
	}
	o.Protocol = 2
	o.MaxRetries = -1 // a rename that is sent twice is refused
	o.DialerRetries = 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = timeout, timeout, timeout
	o.ContextTimeoutEnabled = true
	o.PoolSize = 1
	dial := redis.NewDialer(o)
	o.Dialer = func(_ context.Context, network, addr string) (net.Conn, error) {
		until := ctx
		if ctx.Err() != nil {
			until = context.WithoutCancel(ctx)
		}
		c, err := dial(until, network, addr)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(until, func() { c.Close() })
		return &guardedConn{Conn: c}, nil
	}
	redis.SetLogger(quietRedis{})
	s := &redisServer{options: o, name: fmt.Sprintf("%s/%d", o.Addr, o.DB)}
	client := redis.NewClient(o)
	s.closes = append(s.closes, client.Close)
	err = client.Do(ctx, "CLUSTER", "INFO").Err()
	if _, replied := errors.AsType[redis.Error](err); err != nil && !replied {
		s.close()
		return nil, s.explain(err)
	}
	if err != nil { // of a server without clusters, or one that does not say; redirections will be in the errors then
		s.serve(ctx, client, func() redis.UniversalClient { return redis.NewClient(o) })
		return s, nil
	}
	if o.DB != 0 {
		s.close()
		return nil, s.explain(errors.New("a cluster has database 0 only"))
	}
	cluster := redis.NewClusterClient(clusterOptions(o))
	s.closes = append(s.closes, cluster.Close)
	s.name = "cluster of " + o.Addr
	s.serve(ctx, cluster, func() redis.UniversalClient { return redis.NewClusterClient(clusterOptions(o)) })
	return s, nil
}

// serve sets the connection: that of a client until an interrupt, then that of another.
func (s *redisServer) serve(ctx context.Context, client redis.UniversalClient, another func() redis.UniversalClient) {
	before := wire.Over(client)
	after := sync.OnceValue(func() wire.Conn {
		late := another()
		s.closes = append(s.closes, late.Close)
		return wire.Over(late)
	})
	s.client = client
	s.conn = func(c context.Context, commands [][]any) ([]any, error) {
		if ctx.Err() != nil {
			return after()(c, commands)
		}
		return before(c, commands)
	}
}

func clusterOptions(o *redis.Options) *redis.ClusterOptions {
	return &redis.ClusterOptions{
		Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig,
		Protocol: o.Protocol, MaxRetries: o.MaxRetries, DialerRetries: o.DialerRetries,
		DialTimeout: o.DialTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		ContextTimeoutEnabled: o.ContextTimeoutEnabled, PoolSize: o.PoolSize, Dialer: o.Dialer,
	}
}

// replica returns a connection that reads from a replica, of each slot's node in a cluster, and tells whether there is
// one. Where there is none it reads from the server itself, of which mastersAsked keeps count in a cluster.
func (s *redisServer) replica(ctx context.Context) (conn wire.Conn, there bool, err error) {
	if _, ok := s.client.(*redis.ClusterClient); ok {
		o := clusterOptions(s.options)
		o.ReadOnly = true // a replica answers READONLY connections alone
		readers := redis.NewClusterClient(o)
		s.closes = append(s.closes, readers.Close)
		return func(ctx context.Context, commands [][]any) ([]any, error) {
			key := fmt.Sprint(commands[0][1]) // all commands of a verification have one key
			reader, err := readers.SlaveForKey(ctx, key)
			if err != nil {
				return nil, err
			}
			if master, err := readers.MasterForKey(ctx, key); err != nil || master.Options().Addr == reader.Options().Addr {
				s.mastersAsked.Add(1)
			}
			return wire.Over(reader)(ctx, commands)
		}, true, nil
	}
	addr, err := replicaAddress(s.client.Do(ctx, "ROLE").Slice())
	if err != nil || addr == "" {
		return s.conn, false, err
	}
	o := *s.options
	o.Addr = addr
	client := redis.NewClient(&o)
	s.closes = append(s.closes, client.Close)
	return wire.Over(client), true, nil
}

// replicaAddress returns the address of the first replica in a reply to ROLE, nothing if there is none.
func replicaAddress(role []any, err error) (string, error) {
	switch {
	case err != nil:
		return "", fmt.Errorf("ROLE: %w", err)
	case len(role) < 3 || role[0] != "master":
		return "", nil // a push to a replica is refused
	}
	if list, ok := role[2].([]any); ok && len(list) > 0 {
		if first, ok := list[0].([]any); ok && len(first) >= 2 {
			return net.JoinHostPort(fmt.Sprint(first[0]), fmt.Sprint(first[1])), nil
		}
	}
	return "", nil
}

// redisOptions reads an address. What the parser says of one that is wrong may have the password in it, so it
// is not repeated.
func redisOptions(addr string) (*redis.Options, error) {
	text := addr
	if !strings.Contains(text, "://") {
		text = "redis://" + text
	}
	o, err := redis.ParseURL(text)
	if err != nil || addr == "" || strings.Contains(addr, "#") { // behind which the parser drops what may be of the password
		return nil, errors.New("redis: the address is wrong: want host:port or redis://user:password@host:port/db")
	}
	if o.Password == "" {
		o.Password = os.Getenv("REDISCLI_AUTH")
	}
	return o, nil
}

func (s *redisServer) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redis: %s: %w", s.name, err)
}

func (s *redisServer) close() {
	for _, end := range s.closes {
		_ = end()
	}
}

// quietRedis is the client's log, which says nothing: what fails is in the error.
type quietRedis struct{}

// Printf drops it.
func (quietRedis) Printf(context.Context, string, ...any) {}

const (
	// mostReply is the most that the client may have to allocate for one reply: the longest chunk, and more than enough
	// for what is said beside it.
	mostReply = rediscf.MaxChunk + 1<<16
	// priceOfArray is what an array counts for besides its elements. It bounds how deep arrays can be in arrays, each
	// of which is a call of the client's.
	priceOfArray = 1 << 10
	// priceOfElement is what an element of an array counts for: the client allocates an interface.
	priceOfElement = 16
)

// guardedConn is a connection to a server that is not believed: the client allocates what a reply says that it has, so
// a reply in RESP2 that says more than mostReply ends the connection before the client sees that.
type guardedConn struct {
	net.Conn
	line    []byte // of the line that has not ended
	skip    int    // bytes of a bulk string and its end that are to come
	left    int    // values of the reply that are to come
	counted int    // of mostReply
}

// Read reads from the connection what the client may see.
func (g *guardedConn) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if wrong := g.check(b[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// check follows the replies.
func (g *guardedConn) check(b []byte) error {
	for len(b) > 0 {
		if g.skip > 0 {
			n := min(g.skip, len(b))
			g.skip, b = g.skip-n, b[n:]
			continue
		}
		c := b[0]
		b = b[1:]
		if g.left == 0 { // a new reply
			g.left, g.counted = 1, 0
		}
		if g.counted++; g.counted > mostReply {
			return errReplyTooLarge
		}
		if c != '\n' {
			if len(g.line) < 32 { // as much as a size has
				g.line = append(g.line, c)
			}
			continue
		}
		if err := g.value(); err != nil {
			return err
		}
		g.line = g.line[:0]
	}
	return nil
}

var errReplyTooLarge = fmt.Errorf("the server's reply has more than %d bytes, which none has that is asked for", mostReply)

// value takes the first line of a value.
func (g *guardedConn) value() error {
	g.left--
	mark := byte(0)
	if len(g.line) > 0 {
		mark = g.line[0]
	}
	switch mark {
	case '+', '-', ':':
		return nil
	case '$', '*':
		long, err := strconv.ParseInt(string(trimCR(g.line[1:])), 10, 64)
		size := int(min(long, mostReply+1)) // an int of 32 bits does not hold what a server may claim
		switch {
		case err != nil || long < -1:
		case size > mostReply:
			return errReplyTooLarge
		case mark == '*' && size >= 0:
			g.left += size
			return g.count(priceOfArray + size*priceOfElement)
		case mark == '$' && size >= 0:
			g.skip = size + len("\r\n")
			return g.count(size)
		default:
			return nil
		}
	}
	return fmt.Errorf("the server's reply is not RESP2: it has the line %.40q", g.line)
}

func (g *guardedConn) count(n int) error {
	if g.counted += n; g.counted > mostReply {
		return errReplyTooLarge
	}
	return nil
}

func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
