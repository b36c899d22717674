package cli

import (
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// said is a connection from which some text comes.
type said struct {
	net.Conn
	from io.Reader
}

func (s said) Read(b []byte) (int, error) { return s.from.Read(b) }

func TestGuardedConn_StopsRepliesTheClientWouldAllocate(t *testing.T) {
	bulk := func(n int) string { return "$" + strconv.Itoa(n) + "\r\n" + strings.Repeat("x", n) + "\r\n" }
	const large = "more than"
	for _, c := range []struct{ name, text, wrong string }{
		{"replies", "+OK\r\n:1\r\n-ERR no\r\n$-1\r\n*2\r\n:0\r\n$-1\r\n*-1\r\n$0\r\n\r\n*0\r\n*1\r\n*1\r\n+a\r\n", ""},
		{"a chunk of 16 MiB", "*2\r\n:16777217\r\n" + bulk(rediscf.MaxChunk) + "+OK\r\n", ""},
		{"two of them after another", bulk(rediscf.MaxChunk) + bulk(rediscf.MaxChunk), ""},
		{"marks within a bulk string", "$6\r\n$9999\n\r\n+OK\r\n", ""},
		{"a bulk string of 17 MiB", "$17825792\r\nx", large},
		{"of all memory", "$9223372036854775807\r\n", large},
		{"two in one reply", "*2\r\n" + bulk(rediscf.MaxChunk) + bulk(rediscf.MaxChunk), large},
		{"an array of all memory", "*1000000000000\r\n", large},
		{"arrays in arrays", strings.Repeat("*1\r\n", 1<<16), large},
		{"arrays at the end of arrays", strings.Repeat("*2\r\n:1\r\n", 1<<16), large},
		{"a line without end", strings.Repeat("+", 17<<20), large},
		{"a size that is none", "$many\r\n", "not RESP2"},
		{"a negative size", "*-2\r\n", "not RESP2"},
		{"a map", "%1\r\n+a\r\n+b\r\n", "not RESP2"},
		{"an empty line", "\r\n", "not RESP2"},
		{"no mark", "\n", "not RESP2"},
	} {
		for how, from := range map[string]io.Reader{"whole": strings.NewReader(c.text), "half": iotest.HalfReader(strings.NewReader(c.text))} {
			if how == "half" && len(c.text) > 1<<20 {
				continue // takes seconds and shows nothing more
			}
			got, err := io.ReadAll(&guardedConn{Conn: said{from: from}})
			if c.wrong == "" && (err != nil || string(got) != c.text) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("%s, %s: %v, want %q", c.name, how, err, c.wrong)
			}
		}
	}
	for _, text := range []string{"*2\r\n:0\r\n$-1\r\n+OK\r\n", "*1\r\n$1000000000\r\n"} {
		_, err := io.ReadAll(&guardedConn{Conn: said{from: iotest.OneByteReader(strings.NewReader(text))}})
		if (err != nil) != strings.Contains(text, "000") {
			t.Errorf("%q a byte at a time: %v", text, err)
		}
	}
}
