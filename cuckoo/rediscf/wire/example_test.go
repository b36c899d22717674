package wire_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// A dump as a file is read back without a server.
func ExampleWriteDump() {
	f, err := rediscf.New(rediscf.Config{Capacity: 1000})
	if err != nil {
		panic(err)
	}
	if err := f.AddString("alice"); err != nil {
		panic(err)
	}
	var file bytes.Buffer
	n, err := wire.WriteDump(&file, f)
	fmt.Println(n, err)

	g, err := wire.ReadDump(&file, rediscf.Limits{Bytes: 1 << 20})
	fmt.Println(g.ExistsString("alice"), err)
	// Output:
	// 1110 <nil>
	// true <nil>
}

// Shards answer in process as on the servers; a client finds the key to ask with Shard and ShardKey.
func ExampleShards() {
	s, err := wire.NewShards(16, rediscf.Config{Capacity: 1000})
	if err != nil {
		panic(err)
	}
	if err := s.AddString("alice"); err != nil {
		panic(err)
	}
	conn := wiretest.NewServer().Conn() // of a cluster: wire.Over(client)
	ctx := context.Background()
	if err := wire.PushShards(ctx, conn, "people", s, wire.PushOptions{}); err != nil {
		panic(err)
	}

	key := wire.ShardKey("people", wire.Shard(rediscf.DigestString("alice"), 16))
	replies, err := conn(ctx, [][]any{{"CF.EXISTS", key, "alice"}})
	fmt.Println(key, wire.Slot(key), replies, err)

	local, err := wire.PullShards(ctx, conn, "people", 16, wire.PullOptions{})
	fmt.Println(local.ExistsString("alice"), local.ExistsString("bob"), err)
	// Output:
	// people:{5} 9974 [1] <nil>
	// true false <nil>
}
