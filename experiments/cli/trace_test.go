package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

// filesIn returns how many files a folder holds.
func filesIn(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestTrace_DefaultShowsAPath(t *testing.T) {
	dir := t.TempDir()
	svg := filepath.Join(dir, "path.svg")
	for range 2 { // the second time replaces the file
		stdout, err := executeOne(t, newTraceCommand(), "", "--force", "-o", svg)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"cuckoo.Filter[Any]{buckets=8 f=12 b=2 ", "   kick 2       ", "   fingerprint  "} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q is not in\n%s", want, stdout)
			}
		}
	}
	picture, err := os.ReadFile(svg)
	if err != nil || !strings.HasPrefix(string(picture), "<svg ") || !strings.HasSuffix(string(picture), "</svg>\n") {
		t.Errorf("%v, %q", err, picture)
	}
	if info, err := os.Stat(svg); err != nil || info.Mode().Perm() != 0o644 || filesIn(t, dir) != 1 {
		t.Errorf("%v, %v, %d files", info, err, filesIn(t, dir))
	}
}

// Keys come from the arguments and then from the file; repeated arguments count.
func TestTrace_KeysAndRefusals(t *testing.T) {
	stdout, err := executeOne(t, newTraceCommand(), "\xffbinary\r\n\n<b>", "--buckets", "1", "--b", "2", "--keys", "-", "twice", "twice", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1. insert \"twice\"", "2. insert \"twice\"", "3. insert \"\"\n", `4. insert "\xffbinary"`, "5. insert \"<b>\"", "nothing changed"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	if got := strings.Count(stdout, "refused"); got != 3 {
		t.Errorf("%d refusals, want 3:\n%s", got, stdout)
	}
}

// A file of data, as other commands take it, has more keys than a table to look at holds: the error says
// so and what to do, and no picture is written.
func TestTrace_LargeFile(t *testing.T) {
	dir := t.TempDir()
	keys := writeKeys(t, dir, "keys.txt", numberedLines(1001))
	_, err := executeOne(t, newTraceCommand(), "", "--keys", keys, "-o", filepath.Join(dir, "path.svg"))
	if err == nil || filesIn(t, dir) != 1 {
		t.Fatalf("%v, %d files", err, filesIn(t, dir))
	}
	for _, want := range []string{"--keys: " + keys + ": 1001 keys, want at most 1000", "head -n 16 FILE | nest trace --keys -"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	stdout, err := executeOne(t, newTraceCommand(), numberedLines(16), "--keys", "-")
	if err != nil || !strings.Contains(stdout, "16. insert \"line 16\"") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// numberedLines returns the lines 1 to n.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestTrace_BadInput(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"--placement spiral", `--placement: cuckoo: invalid configuration: placement "spiral"`},
		{"--kick hard", `--kick: unknown "hard", want breadth-first, random-walk, round-robin`},
		{"--hash md5", `--hash: hashing: unknown hash family "md5"`},
		{"--hash tabulation", `--hash: hashing: unknown hash family "tabulation"`},
		{"--buckets 33", "33 buckets, want 1 to 32"},
		{"--buckets 6 --placement xor", "want a power of two"},
		{"--b 3 --buckets 6 --placement xor", "want 1, 2, 4 or 8"},
		{"--f 0", "width is 0, want 1 to 32"},
		{"--fill 100000", "100000 keys to fill in, want 0 to 1000"},
		{"--max-kicks 99999", "MaxKicks is 99999"},
		{"--keys " + dir, "is a directory"},
		{"--keys " + dir + "/none", "no such file"},
		{"-o " + dir, "is not a regular file"},
		{"-o " + dir + "/none/x.svg", "no such file"},
		{"--buckets many", "invalid argument"},
	} {
		stdout, err := executeOne(t, newTraceCommand(), "", strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%s: %v, want one line with %q", c.args, err, c.want)
		}
	}
	if n := filesIn(t, dir); n != 0 {
		t.Errorf("%d files were left behind", n)
	}
	if got := mainOf([]string{"trace", "--kick", "hard"}, io.Discard, io.Discard); got != exitUsage {
		t.Errorf("exit status %d", got)
	}
}

// TestTrace_ReplacesNoDevice holds --out to leave alone what is no regular file, and to follow links.
func TestTrace_ReplacesNoDevice(t *testing.T) {
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&fs.ModeDevice != 0 {
		if _, err := executeOne(t, newTraceCommand(), "", "-o", os.DevNull); err == nil {
			t.Error("a device was replaced")
		}
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link.svg")
	if err := os.Symlink(writeKeys(t, dir, "target.svg", ""), link); err != nil {
		t.Skip(err)
	}
	if _, err := executeOne(t, newTraceCommand(), "", "--force", "-o", link); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "target.svg")); err != nil || len(data) == 0 {
		t.Errorf("the link's target holds %d bytes, %v", len(data), err)
	}
}

func TestTrace_IsACommandOfTheRoot(t *testing.T) {
	if cmd, _, err := newRootCommand(experiments.Default()).Find([]string{"trace"}); err != nil || cmd.Name() != "trace" {
		t.Error(cmd, err)
	}
}
