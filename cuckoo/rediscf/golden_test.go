package rediscf

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The recordings in testdata freeze what a server answers and dumps: do not change them.

// recording replays one file against a filter.
type recording struct {
	t      *testing.T
	f      *Filter
	where  string
	chunks []chunk
	dumped []chunk
}

type chunk struct {
	position int64
	data     []byte
}

func chunksOf(f *Filter) (list []chunk) {
	for position, data := range f.Scan() {
		list = append(list, chunk{position, data})
	}
	return list
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unhex reads bytes as testdata writes them.
func unhex(t *testing.T, s string) []byte {
	t.Helper()
	if s == "-" {
		return nil
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// command runs a command of one key and returns the server's reply.
func command(f *Filter, name string, key []byte) string {
	flag := map[bool]string{false: "0", true: "1"}
	switch name {
	case "add":
		if err := f.Add(key); err != nil {
			return err.Error()
		}
		return "1"
	case "addnx":
		added, err := f.AddNX(key)
		if err != nil {
			return err.Error()
		}
		return flag[added]
	case "del":
		return flag[f.Del(key)]
	case "exists":
		return flag[f.Exists(key)]
	case "count":
		return strconv.Itoa(f.Count(key))
	case "compact":
		f.Compact()
		return "OK"
	}
	return "no command " + name
}

func (r *recording) expect(what, got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("%s: %s is %q, the server's %q", r.where, what, got, want)
	}
}

func (r *recording) step(line string) {
	t := r.t
	name, rest, _ := strings.Cut(line, " ")
	field := strings.Split(rest, " ")
	switch name {
	case "#":
	case "reserve":
		c := Config{Capacity: number(t, field[0]), BucketSize: number(t, field[1]), MaxIterations: number(t, field[2]),
			Expansion: number(t, field[3])}
		f, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		r.f = f
	case "range":
		for i := number(t, field[2]); i < number(t, field[3]); i += number(t, field[4]) {
			r.expect(fmt.Sprint(field[:2], i), command(r.f, field[0], fmt.Appendf(nil, field[1], i)), field[5])
		}
	case "op":
		r.expect(line, command(r.f, field[0], unhex(t, field[1])), field[2])
	case "info":
		r.expect("info", infoText(r.f.Info()), rest)
	case "debug":
		r.expect("debug", r.f.Info().String(), rest)
	case "chunk":
		if r.dumped == nil {
			r.dumped = chunksOf(r.f)
		}
		k := len(r.chunks)
		r.chunks = append(r.chunks, chunk{int64(number(t, field[0])), unhex(t, field[1])})
		if k >= len(r.dumped) {
			t.Fatalf("%s: the dump has %d chunks", r.where, k)
		}
		r.expect("position", fmt.Sprint(r.dumped[k].position), field[0])
		r.expect("chunk", hex.EncodeToString(r.dumped[k].data), field[1])
	case "probe":
		r.probe(unhex(t, field[0]), field[1], field[2])
	default:
		t.Fatalf("%s: unknown step %q", r.where, name)
	}
}

// probe asks for a key in each of its forms.
func (r *recording) probe(key []byte, exists, count string) {
	r.expect("exists", command(r.f, "exists", key), exists)
	r.expect("count", command(r.f, "count", key), count)
	s, h := string(key), Digest(key)
	if want := exists == "1"; r.f.ExistsString(s) != want || r.f.ExistsHash(h) != want {
		r.t.Fatalf("%s: the forms of key %x differ", r.where, key)
	}
	if want := number(r.t, count); r.f.CountString(s) != want || r.f.CountHash(h) != want {
		r.t.Fatalf("%s: the forms of key %x differ", r.where, key)
	}
}

func infoText(i Info) string {
	return fmt.Sprint(i.Size, i.Buckets, i.Filters, i.Items, i.Deletes, i.BucketSize, i.Expansion, i.MaxIterations)
}

// TestGolden_Recordings replays every recording: replies, CF.INFO and the dump are equal byte for byte; and
// what was dumped loads into a filter that answers the same.
func TestGolden_Recordings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			r := recording{t: t}
			for k, line := range lines {
				r.where = fmt.Sprintf("%s:%d", file, k+1)
				r.step(line)
			}
			if len(r.chunks) != len(r.dumped) {
				t.Fatalf("the dump has %d chunks, the server's %d", len(r.dumped), len(r.chunks))
			}
			r.loadBack(lines)
		})
	}
}

// loadBack loads the recorded chunks and asks the filter that they make what was asked of the first.
func (r *recording) loadBack(lines []string) {
	var l Loader
	for _, c := range r.chunks {
		if err := l.Load(c.position, c.data); err != nil {
			r.t.Fatal(err)
		}
	}
	f, err := l.Filter()
	if err != nil {
		r.t.Fatal(err)
	}
	again := recording{t: r.t, f: f, where: r.where + " loaded"}
	end := len(lines)
	for k, line := range lines {
		if strings.HasPrefix(line, "debug") {
			end = k
		}
		if k >= end {
			again.step(line)
		}
	}
	if len(again.chunks) != len(r.chunks) {
		r.t.Fatalf("%d chunks were compared, want %d", len(again.chunks), len(r.chunks))
	}
}

// rows reads a file of fields separated by tabs, without its comments.
func rows(t *testing.T, file string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "#") {
			list = append(list, strings.Split(line, "\t"))
		}
	}
	return list
}

func TestGolden_Digests(t *testing.T) {
	list := rows(t, "testdata/digests.tsv")
	if len(list) < 40 {
		t.Fatalf("only %d rows", len(list))
	}
	for _, row := range list {
		key := unhex(t, row[0])
		h := Digest(key)
		fp, alternate := split(h)
		const mask = 1<<20 - 1
		if got := fmt.Sprintf("%016x %d %d %d", h, fp, h&mask, alternate&mask); got != strings.Join(row[1:], " ") {
			t.Errorf("key %s: %s, want %s", row[0], got, strings.Join(row[1:], " "))
		}
		if DigestString(string(key)) != h {
			t.Errorf("key %s: the digest of the string differs", row[0])
		}
	}
}
