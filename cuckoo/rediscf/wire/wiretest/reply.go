package wiretest

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// A reply is what RESP2 can say: int64, string or []byte (bulk strings), [Status], [Error], nil, or []any
// of these.
type reply = any

// Status is a simple string such as OK.
type Status string

// Error is an error that a server replies.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// RedisError marks it as an error that the server replied, as go-redis does.
func (Error) RedisError() {}

// ok is the reply of commands that have nothing to say.
const ok = Status("OK")

// plain is a reply as a client gives it to its user.
func plain(r reply) (any, error) {
	switch r := r.(type) {
	case Error:
		return nil, r
	case Status:
		return string(r), nil
	case []byte:
		return string(r), nil
	case []any:
		list := make([]any, len(r))
		for k := range r {
			list[k], _ = plain(r[k])
		}
		return list, nil
	}
	return r, nil
}

// writeReply writes a reply in RESP2. The errors of w come with its Flush.
func writeReply(w *bufio.Writer, r reply) {
	switch r := r.(type) {
	case nil:
		w.WriteString("$-1\r\n")
	case Status:
		fmt.Fprintf(w, "+%s\r\n", string(r))
	case Error:
		fmt.Fprintf(w, "-%s\r\n", strings.NewReplacer("\r", " ", "\n", " ").Replace(string(r)))
	case int64:
		fmt.Fprintf(w, ":%d\r\n", r)
	case string:
		fmt.Fprintf(w, "$%d\r\n%s\r\n", len(r), r)
	case []byte:
		fmt.Fprintf(w, "$%d\r\n", len(r))
		w.Write(r)
		w.WriteString("\r\n")
	case []any:
		fmt.Fprintf(w, "*%d\r\n", len(r))
		for _, each := range r {
			writeReply(w, each)
		}
	default:
		writeReply(w, Error(fmt.Sprintf("ERR no reply can be a %T", r)))
	}
}

// maxBulk is the longest argument that a server takes by default.
const maxBulk = 512 << 20

// readCommand reads one command, an array of bulk strings.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readSize(r, '*', 1<<20)
	if err != nil {
		return nil, err
	}
	args := make([]string, n)
	for k := range args {
		size, err := readSize(r, '$', maxBulk)
		if err != nil {
			return nil, err
		}
		if args[k], err = readBulk(r, size); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// readBulk reads an argument and the end of its line.
func readBulk(r *bufio.Reader, size int) (string, error) {
	var b strings.Builder
	b.Grow(min(size, 1<<20)) // beyond that it grows with what has come, not with what was said
	for b.Len() < size {
		if _, err := r.Peek(1); err != nil {
			return "", err
		}
		piece, _ := r.Peek(min(r.Buffered(), size-b.Len())) // is there
		b.Write(piece)
		r.Discard(len(piece))
	}
	_, err := r.Discard(len("\r\n"))
	return b.String(), err
}

// readSize reads a line of a mark and a number.
func readSize(r *bufio.Reader, mark byte, most int) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(line[1:], "\r\n"))
	if line[0] != mark || err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("wiretest: %q where %c and a number should be", line, mark)
	}
	return n, nil
}
