package cli

import (
	"fmt"
	"net"
	"strconv"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

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
