package wiretest

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func recordings(t *testing.T) map[string]*Recording {
	t.Helper()
	files, err := filepath.Glob("../../testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	list := map[string]*Recording{}
	for _, file := range files {
		if list[filepath.Base(file)], err = ReadRecording(file, "golden"); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// answers are those of a connection, byte for byte.
func answers(t *testing.T, s *Server, args []string) string {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	r, open := s.serve(args)
	if !open {
		t.Fatal("dropped")
	}
	writeReply(w, r)
	w.Flush()
	return b.String()
}

// TestGolden_ServerAnswersAsRecorded gives every recorded command to a server of this package.
func TestGolden_ServerAnswersAsRecorded(t *testing.T) {
	for name, r := range recordings(t) {
		s, script := NewServer(), NewScript(r.Exchanges)
		for k, e := range r.Exchanges {
			got, want := answers(t, s, e.Command), answers(t, script, e.Command)
			if got != want {
				t.Fatalf("%s: command %d, %.60q: %.80q, the recorded server %.80q", name, k, e.Command, got, want)
			}
		}
		if err := script.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGolden_LoadChunkRepliesAsRecorded holds the errors of CF.LOADCHUNK, but for the two headers that the
// loader refuses and the recorded server did not, and the chunk whose fate depends on the version.
func TestGolden_LoadChunkRepliesAsRecorded(t *testing.T) {
	text, err := os.ReadFile("../../testdata/loadchunk.tsv")
	if err != nil {
		t.Fatal(err)
	}
	stricter := map[string]bool{"expansion 3 (not a power of two)": true, "num_filters 65537 (kept mod 65536)": true}
	bytesOf := func(s string) string {
		b, err := hex.DecodeString(strings.TrimPrefix(s, "-"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, cases := "", 0
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		s := NewServer()
		var got, want string
		switch {
		case row[0] == "first":
			first = row[1]
			continue
		case row[0] == "header" && !stricter[row[1]]:
			got, want = answers(t, s, []string{"CF.LOADCHUNK", "k", "1", bytesOf(row[2])}), row[3]
		case row[0] == "chunk":
			answers(t, s, []string{"CF.LOADCHUNK", "k", "1", bytesOf(first)})
			got, want = answers(t, s, []string{"CF.LOADCHUNK", "k", row[2], bytesOf(row[3])}), row[4]
		default:
			continue
		}
		cases++
		if got[1:] != want+"\r\n" {
			t.Errorf("%s %q: %q, the recorded server %q", row[0], row[1], got, want)
		}
	}
	if cases < 20 {
		t.Errorf("only %d cases", cases)
	}
}

func TestServer_RefusesWhatItDoesNotKnow(t *testing.T) {
	s := NewServer()
	for _, c := range []struct{ command, want string }{
		{"GET k", "-ERR unknown command 'GET'\r\n"},
		{"EXISTS", "-ERR wrong number of arguments for 'exists' command\r\n"},
		{"CF.INFO k", "-ERR not found\r\n"},
		{"CF.SCANDUMP k 0", "-ERR not found\r\n"},
		{"CF.LOADCHUNK k 2 x", "-ERR not found\r\n"},
		{"CF.RESERVE k 1", "-ERR rediscf: invalid configuration: Capacity is 1, want 4 to 1073741824\r\n"},
		{"CF.RESERVE k 1000 COLOUR 3", "-ERR wrong number of arguments for 'cf.reserve' command\r\n"},
		{"CF.RESERVE k 8 EXPANSION 0", "+OK\r\n"},
		{"CF.RESERVE k 8", "-ERR item exists\r\n"},
		{"RENAME a b", "-ERR no such key\r\n"},
		{"RENAMENX k k", ":0\r\n"},
		{"PEXPIRE a 1000", ":0\r\n"},
		{"PEXPIRE k 0", "-ERR invalid expire time in 'pexpire' command\r\n"},
		{"PEXPIRE k 1000", ":1\r\n"},
		{"PERSIST k", ":1\r\n"},
		{"PERSIST k", ":0\r\n"},
		{"CF.SCANDUMP k 0", "*2\r\n:0\r\n$-1\r\n"},
		{"CF.LOADCHUNK k 1 " + strings.Repeat("x", 38), "-ERR item exists\r\n"},
	} {
		if got := answers(t, s, strings.Fields(c.command)); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}

func TestScript_RefusesOtherCommands(t *testing.T) {
	list := func() []Exchange {
		return []Exchange{{Command: []string{"A", "*"}, Reply: ok}, {Command: []string{"B", "*", "k"}, Reply: int64(1)}}
	}
	for _, c := range []struct{ commands, wrong string }{
		{"A t/B t k", ""},
		{"A t", "1 commands did not come"},
		{"B t k", `command ["B" "t" "k"], 2 are left`},
		{"A t/B u k", `command ["B" "u" "k"], 1 are left`},
		{"A t/B t k/C", `command ["C"], 0 are left`},
		{"A t t", `command ["A" "t" "t"], 2 are left`},
	} {
		s := NewScript(list())
		for command := range strings.SplitSeq(c.commands, "/") {
			answers(t, s, strings.Fields(command))
		}
		if got := fmt.Sprint(s.Err()); c.wrong == "" && s.Err() != nil || !strings.Contains(got, c.wrong) {
			t.Errorf("%s: %s, want %q", c.commands, got, c.wrong)
		}
	}
}

// TestScript_RefusesHandshakes holds that nothing is answered beside the script.
func TestScript_RefusesHandshakes(t *testing.T) {
	for _, command := range []string{"HELLO 3", "CLIENT INFO", "AUTH secret", "SELECT 3", "PING"} {
		s := NewScript([]Exchange{{Command: []string{"EXISTS", "k"}, Reply: int64(1)}})
		c := session{server: s}
		if r, _ := c.answer(strings.Fields(command)); fmt.Sprintf("%T", r) != "wiretest.Error" {
			t.Errorf("%s: %v", command, r)
		}
	}
}

func TestReadCommand_RefusesWhatIsNone(t *testing.T) {
	read := func(text string) ([]string, error) { return readCommand(bufio.NewReader(strings.NewReader(text))) }
	if got, err := read("*2\r\n$1\r\na\r\n$0\r\n\r\n"); err != nil || !reflect.DeepEqual(got, []string{"a", ""}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "PING\r\n", "*x\r\n", "*-1\r\n", "*9999999\r\n", "*1\r\n$600000000\r\n", "*1\r\n$500000000\r\nab", "*1\r\n:1\r\n", "\n", "*1\r\n$-1\r\n"} {
		if got, err := read(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}
