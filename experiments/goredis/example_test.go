package goredis_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/redis/go-redis/v9"
)

// A filter is built here, pushed to a server, changed there by another client, and pulled back.
func Example() {
	server := wiretest.NewServer() // stands for a Redis server
	addr, err := server.Listen()
	if err != nil {
		panic(err)
	}
	defer server.Close()

	client := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, MaxRetries: -1})
	defer client.Close()
	conn := wire.Over(client)
	ctx := context.Background()

	f, err := rediscf.New(rediscf.Config{Capacity: 1000})
	if err != nil {
		panic(err)
	}
	if err := f.AddString("alice"); err != nil {
		panic(err)
	}
	o := wire.PushOptions{Warn: func(err error) { log.Print(err) }}
	fmt.Println(wire.Push(ctx, conn, "people", f, o))
	fmt.Println(wire.Push(ctx, conn, "people", f, o))

	fmt.Println(client.CFExists(ctx, "people", "alice").Result())
	fmt.Println(client.CFAdd(ctx, "people", "bob").Result())

	g, err := wire.Pull(ctx, conn, "people", wire.PullOptions{Limits: rediscf.Limits{Bytes: 1 << 20}})
	fmt.Println(g.ExistsString("alice"), g.ExistsString("bob"), g.ExistsString("carol"), err)
	// Output:
	// <nil>
	// wire: push to key "people": filter exists
	// true <nil>
	// true <nil>
	// true true false <nil>
}
