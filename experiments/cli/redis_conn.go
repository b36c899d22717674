package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

// redisServer is a connection to a server.
type redisServer struct {
	client *redis.Client
	conn   wire.Conn
	name   string // host:port/db, without the password
}

// dialRedis returns the connection for an address. Nothing is sent yet.
//
// An interrupt ends what is under way at once: it closes the connections that were made before it. Those that
// are made after it, to clean up, go on.
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
	client := redis.NewClient(o)
	return &redisServer{client: client, conn: wire.Over(client), name: fmt.Sprintf("%s/%d", o.Addr, o.DB)}, nil
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

// explain puts the server into an error.
func (s *redisServer) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redis: %s: %w", s.name, err)
}

// close ends the connections.
func (s *redisServer) close() { _ = s.client.Close() }

// quietRedis is the client's log, which says nothing: what fails is in the error.
type quietRedis struct{}

// Printf drops it.
func (quietRedis) Printf(context.Context, string, ...any) {}
