package wiretest

import (
	"fmt"
	"net"
	"slices"
	"strings"
)

// Exchange is one command and its reply: int64, string or []byte, [Status], [Error], nil or []any of such.
type Exchange struct {
	_ struct{}

	// Command is the name and the arguments. An argument * is anything that does not stand for another key
	// already, and is the same at every place of the script: the name of a temporary key.
	Command []string
	// Reply is what the server answers.
	Reply any
}

// script is a list of exchanges, from the next one on.
type script struct {
	left  []Exchange
	bound string // what * stands for
	wrong error
}

// NewScript returns a server that answers these commands, in this order, and refuses all else.
func NewScript(list []Exchange) *Server {
	sc := &script{left: list}
	return &Server{execute: sc.execute, store: newStore(), script: sc, budget: -1, conns: map[net.Conn]bool{}}
}

// Err returns nil if all commands of the script have come and no others, else the first that was wrong or
// the number of those that did not come.
func (s *Server) Err() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.script.wrong == nil && len(s.script.left) > 0 {
		return fmt.Errorf("wiretest: %d commands did not come, the first is %.80q",
			len(s.script.left), s.script.left[0].Command)
	}
	return s.script.wrong
}

// execute answers the next command.
func (sc *script) execute(args []string) reply {
	if len(sc.left) == 0 || !sc.is(args, sc.left[0].Command) {
		if sc.wrong == nil {
			sc.wrong = fmt.Errorf("wiretest: command %.80q, %d are left in the script", args, len(sc.left))
		}
		return Error("ERR not in the script: " + strings.ToUpper(args[0]))
	}
	next := sc.left[0]
	sc.left = sc.left[1:]
	return next.Reply
}

// is tells whether a command is that of the script.
func (sc *script) is(args, want []string) bool {
	if len(args) != len(want) {
		return false
	}
	want = slices.Clone(want)
	for k, w := range want {
		if w == "*" {
			if sc.bound == "" {
				sc.bound = args[k]
			}
			want[k] = sc.bound
		}
	}
	return slices.Equal(args, want)
}
