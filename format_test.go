package nest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
)

// update writes golden files that are not there yet, and the examples of docs/FORMAT.md. It never changes
// a golden file: version 1 of the format is frozen, and files in it are read for all time.
var update = flag.Bool("update", false, "write new golden files and the examples in docs/FORMAT.md")

// TestGolden_V1 holds every type of file to the bytes of version 1.
func TestGolden_V1(t *testing.T) {
	small(t, func(name string, b []byte) {
		file := filepath.Join("testdata", "v1", name+".nest")
		if _, err := os.Stat(file); *update && os.IsNotExist(err) {
			if err := nest.Save(file, bytes.NewBuffer(bytes.Clone(b))); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, golden) {
			t.Errorf("%s is now\n%s\nand was in version 1\n%s", name, dump(b), dump(golden))
		}
		f, err := nest.Open(golden)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, key := range smallKeys {
			if !f.ContainsString(key) {
				t.Errorf("%s has lost %q", name, key)
			}
		}
		if again, err := f.MarshalBinary(); err != nil || !bytes.Equal(again, golden) {
			t.Errorf("%s was read and stored as\n%s\n%v", name, dump(again), err)
		}
	})
}

// dump returns bytes in lines of 16, without lines of zeros but the last.
func dump(b []byte) string {
	var text strings.Builder
	for at := 0; at < len(b); at += 16 {
		line := b[at:min(at+16, len(b))]
		if at+16 < len(b) && strings.Trim(string(line), "\x00") == "" {
			continue
		}
		printed := bytes.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, latin(line))
		fmt.Fprintf(&text, "%04x  %-47s  %s\n", at, fmt.Sprintf("% x", line), printed)
	}
	return text.String()
}

// latin returns bytes as characters of one byte each.
func latin(b []byte) []byte {
	var text []rune
	for _, x := range b {
		text = append(text, rune(x))
	}
	return []byte(string(text))
}

// TestFormat_ExamplesAreGolden holds the dumps in docs/FORMAT.md to the golden files. A dump stands behind
// a line <!-- dump: name -->.
func TestFormat_ExamplesAreGolden(t *testing.T) {
	file := filepath.Join("docs", "FORMAT.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	small(t, func(name string, b []byte) {
		mark := fmt.Sprintf("<!-- dump: %s -->\n```text\n", name)
		before, rest, found := strings.Cut(want, mark)
		_, after, closed := strings.Cut(rest, "```\n")
		if !found || !closed {
			t.Errorf("%s has no dump of %s", file, name)
			return
		}
		want = before + mark + dump(b) + "```\n" + after
	})
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("the dumps in %s are not those of the golden files: go test . -run Format -update writes them", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}
