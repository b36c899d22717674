package wiretest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// speaker is a client that writes what it is told and returns what comes back.
type speaker struct {
	t *testing.T
	c net.Conn
	r *bufio.Reader
}

func speak(t *testing.T, s *Server) *speaker {
	t.Helper()
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return dial(t, addr)
}

func dial(t *testing.T, addr string) *speaker {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &speaker{t, c, bufio.NewReader(c)}
}

// send writes a command as clients do.
func (s *speaker) send(args ...string) {
	s.t.Helper()
	fmt.Fprintf(s.c, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(s.c, "$%d\r\n%s\r\n", len(a), a)
	}
}

// says sends a command and demands the first line of the reply.
func (s *speaker) says(want string, args ...string) {
	s.t.Helper()
	s.send(args...)
	line, err := s.r.ReadString('\n')
	if line = strings.TrimSpace(line); err != nil || line != want {
		s.t.Fatalf("%q: %q, %v, want %q", args, line, err, want)
	}
}

// TestServer_TCP takes a key through its life over a connection.
func TestServer_TCP(t *testing.T) {
	s := NewServer()
	s.SetPassword("secret")
	c := speak(t, s)
	c.says("+PONG", "PING")
	c.says("-ERR unknown command 'HELLO'", "HELLO", "3")
	c.says("-NOAUTH Authentication required.", "CF.ADD", "a", "x")
	c.says("-NOAUTH Authentication required.", "SELECT", "0")
	c.says("-WRONGPASS invalid username-password pair or user is disabled.", "AUTH", "guess")
	c.says("+OK", "AUTH", "secret")
	c.says("+OK", "SELECT", "0")
	c.says(":1", "CF.ADD", "a", "x")
	c.says(":0", "CF.ADDNX", "a", "x")
	c.says(":1", "CF.EXISTS", "a", "x")
	c.says(":1", "CF.COUNT", "a", "x")
	c.says(":1", "EXISTS", "a")
	c.says(":1", "PEXPIRE", "a", "5000")
	if got := s.Expires("a"); got != 5*time.Second || s.Expires("b") != 0 {
		t.Errorf("a expires in %v", got)
	}
	c.says(":1", "PERSIST", "a")
	c.says("+OK", "RENAME", "a", "b")
	c.says(":1", "CF.ADD", "c", "y")
	c.says(":0", "RENAMENX", "c", "b")
	c.says(":1", "RENAMENX", "c", "d")
	if got := s.Keys(); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("keys %q", got)
	}
	if f, err := s.Filter("b"); err != nil || f.Len() != 1 || !f.ExistsString("x") {
		t.Errorf("b: %v, %v", f, err)
	}
	if f, err := s.Filter("a"); f != nil || err != nil {
		t.Errorf("a, which was renamed: %v, %v", f, err)
	}
	c.says(":1", "DEL", "b")
	s.Delete("d")
	c.says(":0", "EXISTS", "d")
	c.says(":0", "CF.EXISTS", "d", "y")
	if log := s.Log(); !slices.Contains(log, "AUTH secret") || !slices.Contains(log, "RENAME a") {
		t.Errorf("log %q", log)
	}
}

// TestServer_TCPFaults has connections close before and after a command, within one, and a command answered wrongly.
func TestServer_TCPFaults(t *testing.T) {
	s := NewServer()
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, c := range []struct {
		name  string
		fault Fault
		here  bool // is the key there then?
	}{{"before", Fault{Before: true}, false}, {"after", Fault{After: true}, true}} {
		client := dial(t, addr)
		s.SetFault(func(int, []string) Fault { return c.fault })
		client.send("CF.ADD", c.name, "x")
		if _, err := client.r.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, want the end of the connection", c.name, err)
		}
		if f, err := s.Filter(c.name); (f != nil) != c.here || err != nil {
			t.Errorf("%s: filter %v, %v", c.name, f, err)
		}
	}
	client := dial(t, addr)
	s.SetFault(func(n int, _ []string) Fault {
		return []Fault{{Reply: Error("ERR no")}, {}}[min(n, 1)]
	})
	client.says("-ERR no", "CF.ADD", "k", "x")
	client.says(":1", "CF.ADD", "k", "x")
	s.SetFault(nil)
	s.DropAfter(10)
	client.send("CF.ADD", "l", "x")
	if _, err := client.r.ReadByte(); err == nil || slices.Contains(s.Keys(), "l") {
		t.Errorf("a command of which 10 bytes came: %v, keys %q", err, s.Keys())
	}
}

// TestServer_InProcess holds what the other kind of connection does beside the above.
func TestServer_InProcess(t *testing.T) {
	s := NewServer()
	f, err := rediscf.New(rediscf.Config{Capacity: 8})
	if err != nil {
		t.Fatal(err)
	}
	s.Put("a", f)
	conn := s.Conn()
	replies, err := conn(t.Context(), [][]any{{"CF.ADD", "a", []byte("x")}, {"PEXPIRE", "a", int64(7)}, {"NOPE"}, {"EXISTS", "a"}})
	var failed Error
	if !errors.As(err, &failed) || len(replies) != 4 || replies[0] != int64(1) || replies[3] != int64(1) {
		t.Errorf("%v, %v", replies, err)
	}
	if _, err := conn(t.Context(), [][]any{{"EXISTS", 1.5}}); err == nil {
		t.Error("a float was sent")
	}
	s.SetFault(func(int, []string) Fault { return Fault{After: true} })
	if _, err := conn(t.Context(), [][]any{{"EXISTS", "a"}}); !errors.Is(err, ErrDropped) {
		t.Errorf("%v, want ErrDropped", err)
	}
}
