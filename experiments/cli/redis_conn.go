package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// redisServer is a connection to a server, or to the cluster that it is a node of.
type redisServer struct {
	client  redis.UniversalClient
	conn    wire.Conn
	name    string // host:port/db, or that of a cluster's node, without the password
	options redis.UniversalOptions
	closes  []func() error
}

// dialRedis returns the connection for an address. It asks whether the server is a node of a
// cluster; then the client follows its redirections.
//
// An interrupt ends what is under way at once. To clean up there is a client of its own from then on.
func dialRedis(ctx context.Context, addr string, timeout time.Duration) (*redisServer, error) {
	o, err := redisOptions(addr)
	if err != nil {
		return nil, err
	}
	logging.Disable() // what fails is in the error
	s := &redisServer{name: fmt.Sprintf("%s/%d", o.Addr, o.DB), options: redis.UniversalOptions{
		Addrs: []string{o.Addr}, DB: o.DB, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig,
		Protocol:      2,
		MaxRetries:    -1, // a rename that is sent twice is refused
		DialerRetries: 1,
		DialTimeout:   timeout, ReadTimeout: timeout, WriteTimeout: timeout,
		ContextTimeoutEnabled: true, PoolSize: 1,
	}}
	_, err = await(ctx, func() (any, error) { return s.open(&s.options).Do(ctx, "CLUSTER", "INFO").Result() })
	s.options.IsClusterMode = err == nil // else redirections of a server that does not say will be in the errors
	if _, replied := errors.AsType[redis.Error](err); replied {
		err = nil
	}
	if s.options.IsClusterMode && o.DB != 0 {
		err = errors.New("a cluster has database 0 only")
	}
	if err != nil {
		s.close()
		return nil, s.explain(err)
	}
	if s.options.IsClusterMode {
		s.name = "cluster of " + o.Addr
	}
	s.client = s.open(&s.options)
	after := sync.OnceValue(func() wire.Conn { return wire.Over(s.open(&s.options)) })
	before := interrupted(ctx, wire.Over(s.client))
	s.conn = func(c context.Context, commands [][]any) ([]any, error) {
		if ctx.Err() != nil {
			return after()(c, commands)
		}
		return before(c, commands)
	}
	return s, nil
}

// open returns a client, which close closes.
func (s *redisServer) open(o *redis.UniversalOptions) redis.UniversalClient {
	client := redis.NewUniversalClient(o)
	s.closes = append(s.closes, client.Close)
	return client
}

// interrupted is a connection on which nothing is waited for once the context has ended.
func interrupted(ctx context.Context, conn wire.Conn) wire.Conn {
	return func(c context.Context, commands [][]any) ([]any, error) {
		return await(ctx, func() ([]any, error) { return conn(c, commands) })
	}
}

// replica returns a connection that reads from a replica, of each slot's node in a cluster, and tells whether there is
// one. Where there is none it reads from the server itself.
func (s *redisServer) replica(ctx context.Context) (conn wire.Conn, there bool, err error) {
	o := s.options
	if o.IsClusterMode {
		o.ReadOnly = true // a replica answers READONLY connections alone
		readers := s.open(&o).(*redis.ClusterClient)
		return interrupted(ctx, func(ctx context.Context, commands [][]any) ([]any, error) {
			key := fmt.Sprint(commands[0][1]) // all commands of a verification have one key
			reader, err := readers.SlaveForKey(ctx, key)
			if err != nil {
				return nil, err
			}
			return wire.Over(reader)(ctx, commands)
		}), true, nil
	}
	role, err := await(ctx, func() ([]any, error) { return s.client.Do(ctx, "ROLE").Slice() })
	if err != nil {
		return nil, false, fmt.Errorf("ROLE: %w", err)
	}
	if len(role) >= 3 && role[0] == "master" { // a push to a replica is refused
		list, _ := role[2].([]any)
		for _, replica := range list {
			if at, ok := replica.([]any); ok && len(at) >= 2 {
				o.Addrs = []string{net.JoinHostPort(fmt.Sprint(at[0]), fmt.Sprint(at[1]))}
				return interrupted(ctx, wire.Over(s.open(&o))), true, nil
			}
		}
	}
	return s.conn, false, nil
}

// redisOptions reads an address. What the parser says of a wrong one may have the password in it, so it is left out.
func redisOptions(addr string) (*redis.Options, error) {
	text := addr
	if !strings.Contains(text, "://") {
		text = "redis://" + text
	}
	o, err := redis.ParseURL(text)
	// The parser drops what follows a #, which may be of the password.
	if err != nil || addr == "" || strings.Contains(addr, "#") {
		return nil, errors.New("redis: the address is wrong: want host:port or redis://user:password@host:port/db")
	}
	o.Password = cmp.Or(o.Password, os.Getenv("REDISCLI_AUTH"))
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
