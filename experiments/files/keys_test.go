package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/experiments/must"
)

func TestParseKeys_Lines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, text string
		want       KeySet
	}{
		{"plain", "a\nb\n", KeySet{Keys: []string{"a", "b"}, Lines: 2}},
		{"no final line feed", "a\nb", KeySet{Keys: []string{"a", "b"}, Lines: 2}},
		{"one key", "a", KeySet{Keys: []string{"a"}, Lines: 1}},
		{"CRLF", "a\r\nb\r\n", KeySet{Keys: []string{"a", "b"}, Lines: 2, CRLF: 2}},
		{"mixed endings are duplicates", "a\r\na\n", KeySet{Keys: []string{"a"}, Lines: 2, CRLF: 1, Duplicates: 1}},
		{"CR inside and at the end of the file", "a\rb\nc\r", KeySet{Keys: []string{"a\rb", "c"}, Lines: 2, CRLF: 1}},
		{"blank lines", "\n\r\na\n\n", KeySet{Keys: []string{"a"}, Lines: 4, CRLF: 1, Blank: 3}},
		{"spaces are keys", " \na \n", KeySet{Keys: []string{" ", "a "}, Lines: 2}},
		{"duplicates", "b\na\nb\nb\n", KeySet{Keys: []string{"b", "a"}, Lines: 4, Duplicates: 2}},
		{"binary", "\x00\xff\n\x00\n\xfe\x00\xfe", KeySet{Keys: []string{"\x00\xff", "\x00", "\xfe\x00\xfe"}, Lines: 3}},
		{"byte order mark", "\xef\xbb\xbfa\na\n", KeySet{Keys: []string{"a"}, Lines: 2, Duplicates: 1, BOM: true}},
		{"1 MiB line", "a\n" + long + "\r\nb\n", KeySet{Keys: []string{"a", long, "b"}, Lines: 3, CRLF: 1}},
		{"1 MiB last line", long, KeySet{Keys: []string{long}, Lines: 1}},
	} {
		for how, r := range map[string]io.Reader{
			"whole": strings.NewReader(c.text), "halves": iotest.HalfReader(strings.NewReader(c.text)),
			"with EOF": iotest.DataErrReader(strings.NewReader(c.text)),
		} {
			got, want := must.Get(ParseKeys(r, "f", MaxLine))(t), c.want
			want.Name = "f"
			if !slices.Equal(got.Keys, want.Keys) || got.String() != want.String() {
				t.Errorf("%s, %s: %v, want %v", c.name, how, got, &want)
			}
			for _, k := range append(want.Keys, "absent") {
				if got.Contains(k) != (k != "absent") {
					t.Errorf("%s: Contains of %q is wrong", c.name, k)
				}
			}
		}
	}
}

func TestParseKeys_Errors(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, c := range []struct {
		name string
		r    io.Reader
		is   error
		want string
	}{
		{"mark alone", strings.NewReader(bom), ErrNoKeys, "f: no keys, but 0 blank lines"},
		{"blank", strings.NewReader("\n\r\n"), ErrNoKeys, "f: no keys, but 2 blank lines"},
		{"long line", strings.NewReader("a\nb\n" + strings.Repeat("x", 101) + "\n"), ErrLineTooLong,
			"f:3: line too long: more than 100 bytes"},
		{"no line feed", strings.NewReader(strings.Repeat("x", 1<<20)), ErrLineTooLong, "f:1: line too long: more than 100 bytes"},
		{"read error", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), broken,
			"f: disk on fire"},
	} {
		s, err := ParseKeys(c.r, "f", 100)
		if !errors.Is(err, c.is) || s != nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v; want %s", c.name, s, err, c.want)
		}
	}
	if _, err := ParseKeys(strings.NewReader(strings.Repeat("x", 100)), "f", 100); err != nil {
		t.Errorf("a line at the limit: %v", err)
	}
}

// What Parse keeps, with the lines that it counted as dropped, is what was written.
func FuzzParseKeys(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\n\r\n\x00", bom + "x\nx"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseKeys(bytes.NewReader(data), "f", 1000)
		if err != nil {
			return
		}
		text, lines := bytes.TrimPrefix(data, []byte(bom)), 0
		seen := map[string]bool{}
		for line := range bytes.Lines(text) {
			lines++
			seen[strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")] = true
		}
		delete(seen, "")
		if len(seen) != len(s.Keys) || lines != s.Lines || lines != len(s.Keys)+s.Blank+s.Duplicates {
			t.Fatalf("%q: %v, want %d keys in %d lines", data, s, len(seen), lines)
		}
		for _, k := range s.Keys {
			if !seen[k] {
				t.Fatalf("%q: key %q is on no line", data, k)
			}
		}
	})
}

func ExampleParseKeys() {
	keys, _ := ParseKeys(strings.NewReader("ant\r\nbee\r\n\r\nant\r\n"), "insects.txt", MaxLine)
	fmt.Println(keys)
	// Output: insects.txt: 2 distinct keys in 4 lines (1 duplicate, 1 blank, 4 ending in CRLF)
}
