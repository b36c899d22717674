package wiretest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// Fault is what a server does instead of answering a command.
type Fault struct {
	_ struct{}

	// Before closes the connection instead of executing the command.
	Before bool
	// After executes the command and closes the connection instead of replying.
	After bool
	// Reply, if not nil, is the reply; the command is not executed.
	Reply any
	// Wait, if not nil, is received from before anything else is done. The connection waits; others go on.
	Wait <-chan struct{}
}

// ErrDropped is what a connection in process fails with where one over TCP would be closed.
var ErrDropped = errors.New("connection dropped")

// Server is a server. Its methods may be called while it serves.
type Server struct {
	lock     sync.Mutex
	execute  func(args []string) reply // under lock
	store    *store
	script   *script
	log      []string
	count    int // of commands since SetFault
	fault    func(n int, args []string) Fault
	password string
	budget   int64 // of bytes to receive; negative: without end
	cluster  *Cluster

	listener net.Listener
	closed   bool
	conns    map[net.Conn]bool
	wait     sync.WaitGroup
}

// NewServer returns a server without keys.
func NewServer() *Server {
	st := newStore()
	return &Server{execute: st.execute, store: st, budget: -1, conns: map[net.Conn]bool{}}
}

// SetFault makes f decide for each command, the first after this call being number 0, what goes wrong.
// Commands of a handshake (HELLO, AUTH, SELECT, CLIENT, PING) are not among them. nil ends faults.
func (s *Server) SetFault(f func(n int, args []string) Fault) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.fault, s.log, s.count = f, nil, 0
}

// DropAfter closes the connection over which the nth byte from now on comes, once; what was whole by then
// is executed.
func (s *Server) DropAfter(n int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.budget = n
}

// Dropped tells whether the connection that DropAfter was to close has been closed.
func (s *Server) Dropped() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.budget < 0
}

// SetPassword makes the server demand AUTH.
func (s *Server) SetPassword(password string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.password = password
}

// Log returns the commands since SetFault, each with its first argument, handshakes with all.
func (s *Server) Log() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]string(nil), s.log...)
}

// Conn returns a connection in process: it is a wire.Conn.
func (s *Server) Conn() func(ctx context.Context, commands [][]any) ([]any, error) {
	return func(ctx context.Context, commands [][]any) (replies []any, err error) {
		for _, command := range commands {
			args := make([]string, len(command))
			for k, a := range command {
				arg, unsendable := argument(a)
				if unsendable != nil {
					return nil, unsendable
				}
				args[k] = arg
			}
			r, open := s.serve(args)
			if !open {
				return nil, ErrDropped
			}
			value, failed := plain(r)
			if failed != nil && err == nil {
				err = fmt.Errorf("%s: %w", args[0], failed)
			}
			replies = append(replies, value)
		}
		return replies, err
	}
}

// argument is what a client sends for an argument of a command.
func argument(a any) (string, error) {
	switch a := a.(type) {
	case string:
		return a, nil
	case []byte:
		return string(a), nil
	case int64:
		return strconv.FormatInt(a, 10), nil
	}
	return "", fmt.Errorf("wiretest: no client sends a %T", a)
}

// serve answers one command, unless a fault forbids it.
func (s *Server) serve(args []string) (r reply, open bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var fault Fault
	if s.fault != nil {
		fault = s.fault(s.count, args)
	}
	s.count++
	s.log = append(s.log, strings.Join(args[:min(2, len(args))], " "))
	if fault.Wait != nil {
		s.lock.Unlock()
		<-fault.Wait
		s.lock.Lock()
	}
	switch {
	case fault.Before:
		return nil, false
	case fault.Reply != nil:
		return fault.Reply, true
	}
	r = s.execute(args)
	return r, !fault.After
}

// Listen begins to serve on a port of the loopback interface and returns its address. Close ends it.
func (s *Server) Listen() (addr string, err error) {
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return "", err
	}
	s.wait.Go(func() {
		for {
			c, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.lock.Lock()
			if s.closed { // between Accept and here
				c.Close()
			}
			s.conns[c] = true
			s.lock.Unlock()
			s.wait.Go(func() { s.talk(c) })
		}
	})
	return s.listener.Addr().String(), nil
}

// Close closes all connections, accepts no more and waits until nothing is served. Who waits on a
// Fault.Wait has to be released before.
func (s *Server) Close() {
	if s.listener != nil {
		s.listener.Close()
	}
	s.lock.Lock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	s.lock.Unlock()
	s.wait.Wait()
}

// talk serves one connection to its end.
func (s *Server) talk(c net.Conn) {
	defer func() {
		c.Close()
		s.lock.Lock()
		delete(s.conns, c)
		s.lock.Unlock()
	}()
	r, w := bufio.NewReaderSize(&metered{server: s, from: c}, 64<<10), bufio.NewWriter(c)
	session := session{server: s}
	for {
		args, err := readCommand(r)
		if err != nil {
			return
		}
		answer, open := session.answer(args)
		if !open {
			w.Flush()
			return
		}
		writeReply(w, answer)
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
	}
}

// metered reads from a connection within the server's budget.
type metered struct {
	server *Server
	from   io.Reader
	ended  bool
}

// Read is io.EOF when the budget is used up, for the connection that used it up from then on.
func (m *metered) Read(b []byte) (int, error) {
	if m.ended { // bufio asks again
		return 0, io.EOF
	}
	n, err := m.from.Read(b)
	m.server.lock.Lock()
	defer m.server.lock.Unlock()
	left := m.server.budget
	if left < 0 {
		return n, err
	}
	m.server.budget -= int64(n)
	if int64(n) >= left {
		m.server.budget, m.ended = -1, true
		return int(left), io.EOF
	}
	return n, err
}

// session is what a connection has said of itself.
type session struct {
	server *Server
	known  bool
	asking bool // the next command is answered although its slot may be another server's
}

// answer answers the commands of a handshake and hands on the others.
func (c *session) answer(args []string) (r reply, open bool) {
	s := c.server
	if len(args) == 0 {
		return Error("ERR empty command"), true
	}
	name := strings.ToUpper(args[0])
	switch name {
	case "HELLO", "CLIENT":
		return unknown(name), true
	case "CLUSTER":
		return s.clusterCommand(args), true
	case "ASKING":
		c.asking = true
		return ok, true
	case "READONLY": // there are no replicas
		return ok, true
	case "AUTH", "SELECT", "PING":
		if s.script != nil {
			break // as any other that is not in it
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		s.log = append(s.log, strings.Join(append([]string{name}, args[1:]...), " "))
		return c.handshake(name, args), true
	}
	s.lock.Lock()
	locked := s.password != "" && !c.known
	s.lock.Unlock()
	if locked {
		return Error("NOAUTH Authentication required."), true
	}
	asking := c.asking
	c.asking = false
	if r := s.elsewhere(args); r != nil && !asking {
		return r, true
	}
	return s.serve(args)
}

// handshake answers AUTH, SELECT and PING.
func (c *session) handshake(name string, args []string) reply {
	switch {
	case name == "PING":
		return Status("PONG")
	case name == "AUTH" && args[len(args)-1] != c.server.password:
		return Error("WRONGPASS invalid username-password pair or user is disabled.")
	case name == "AUTH":
		c.known = true
	case c.server.password != "" && !c.known:
		return Error("NOAUTH Authentication required.")
	}
	return ok
}

// unknown is the reply to what is no command.
func unknown(name string) Error { return Error(fmt.Sprintf("ERR unknown command '%s'", name)) }
