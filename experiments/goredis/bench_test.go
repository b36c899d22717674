package goredis_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
	"github.com/redis/go-redis/v9"
)

// shipSize is the bytes of the tables of the filter that is shipped.
const shipSize = 256 << 20

// BenchmarkShip pushes a filter of 256 MiB to the server of package wiretest over loopback and pulls it from there.
// The server runs in this process, so its work and the client's are both in the time. what=send is a push that the
// server reads and answers but does not store. what=copy is the bound: as many bytes through a plain connection,
// written 1 MiB at a time and read into one buffer.
func BenchmarkShip(b *testing.B) {
	f, err := rediscf.New(rediscf.Config{Capacity: shipSize, BucketSize: 4})
	noError(b, err)
	for k := range uint64(1 << 20) {
		noError(b, f.AddHash(k*0x9e3779b97f4a7c15))
	}
	s := wiretest.NewServer()
	addr, err := s.Listen()
	noError(b, err)
	b.Cleanup(s.Close)
	client := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, MaxRetries: -1})
	b.Cleanup(func() { client.Close() })
	ctx, conn := context.Background(), wire.Over(client)
	push := func() error { return wire.Push(ctx, conn, "k", f, wire.PushOptions{Overwrite: true}) }
	for _, c := range []struct {
		what  string
		do    func() error
		fault func(n int, args []string) wiretest.Fault
	}{
		{"copy", plainCopy, nil},
		{"send", push, unstored(f.Info())},
		{"push", push, nil},
		{"pull", func() error {
			_, err := wire.Pull(ctx, conn, "k", wire.PullOptions{})
			return err
		}, nil},
	} {
		b.Run("filter=rediscf/bytes=268435456/what="+c.what, func(b *testing.B) {
			s.SetFault(c.fault)
			b.SetBytes(shipSize)
			for b.Loop() {
				noError(b, c.do())
			}
		})
	}
}

// unstored replies to a push of a filter as if it were stored.
func unstored(i rediscf.Info) func(n int, args []string) wiretest.Fault {
	replies := map[string]any{
		"EXISTS": int64(1), "CF.LOADCHUNK": wiretest.Status("OK"), "PEXPIRE": int64(1), "CF.INFO": wiretest.InfoReply(i),
		"PERSIST": int64(1), "RENAME": wiretest.Status("OK"),
	}
	return func(_ int, args []string) wiretest.Fault { return wiretest.Fault{Reply: replies[args[0]]} }
}

// plainCopy sends shipSize bytes over loopback and waits until they have come.
func plainCopy() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	sent := make(chan error, 1)
	go func() {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			_, err = io.CopyBuffer(struct{ io.Writer }{c}, io.LimitReader(zeros{}, shipSize), make([]byte, 1<<20))
			err = errors.Join(err, c.Close())
		}
		sent <- err
	}()
	c, err := listener.Accept()
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{c}, make([]byte, 1<<20))
	return errors.Join(err, <-sent)
}

// zeros reads what its buffers hold.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
