package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostTaken is where an endless input ends, so that a command that reads on fails and does not fill the memory.
const mostTaken = 1 << 20

// endless is a beginning and zeros behind it. It counts what is taken.
type endless struct {
	head  *bytes.Reader
	taken int
}

// Read ends at mostTaken.
func (e *endless) Read(p []byte) (int, error) {
	if e.taken > mostTaken {
		return 0, io.ErrUnexpectedEOF
	}
	n, _ := e.head.Read(p)
	clear(p[n:])
	e.taken += len(p)
	return len(p), nil
}

// TestFilterFiles_EndlessInputIsLeft gives zeros without end, and a filter with such behind it, to every command that
// reads a filter from standard input.
func TestFilterFiles_EndlessInputIsLeft(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "a\nb\n", "--kind", "split-block")
	for _, c := range []struct {
		args []string
		head string
	}{
		{[]string{"filter", "info", "-"}, f},
		{[]string{"filter", "convert", "-", "-o", "-"}, f},
		{[]string{"redis", "push", "-", "127.0.0.1:1", "k"}, ""},
		{[]string{"filter", "build", "--key-file", "-", "--hash", "siphash", f, "-o", filepath.Join(dir, "x")}, ""},
	} {
		for _, file := range []string{"", c.head} {
			head, _ := os.ReadFile(file)
			input, out := &endless{head: bytes.NewReader(head)}, new(bytes.Buffer)
			status, stderr := runOn(t.Context(), input, out, c.args...)
			if status != exitUsage || input.taken > 1<<16 || strings.Count(stderr, "\n") != 1 || out.Len() > 0 {
				t.Errorf("%q with %q: status %d, %d bytes taken, %s", c.args, file, status, input.taken, stderr)
			}
		}
	}
}

// TestInfo_LeavesADevice names a device.
func TestInfo_LeavesADevice(t *testing.T) {
	const zero = "/dev/zero"
	if _, err := os.Stat(zero); err != nil {
		t.Skip(err)
	}
	x := filepath.Join(t.TempDir(), "x")
	for _, args := range [][]string{{"filter", "info", zero}, {"filter", "convert", zero, "-o", x}, {"filter", "query", zero}, {"filter", "merge", zero, zero, "-o", x}} {
		expect(t, "", args, exitUsage, "", "no nest filter")
	}
}

// noRoom is a full disk.
type noRoom struct{}

// Write fails.
func (noRoom) Write([]byte) (int, error) { return 0, errFull }

// TestMain_SaysWhatItCouldNotWrite has everything that prints do so on a full disk.
func TestMain_SaysWhatItCouldNotWrite(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "a\nb\n")
	store := filepath.Join(dir, "store")
	says(t, exitOK, "", "", "log", "put", store, "a", "value")
	lines := [][]string{{}, {"--version"}, {"help"}, {"help", "redis", "push"}, {"redis"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}, {"__complete", "siz"},
		{"size", "--n", "1000", "--fpr", "0.01"}, {"filter", "info", f}, {"filter", "info", "--json", f}, {"filter", "query", f}, {"filter", "query", "-c", f},
		{"uniq"}, {"filter", "convert", f, "-o", "-"}, {"trace"}, {"log", "get", store, "a"}, {"log", "stats", store}, {"log", "check", store},
		{"log", "compact", store}}
	for _, cmd := range commands() {
		lines = append(lines, append(pathOf(cmd), "--help"))
	}
	for _, args := range lines {
		status, stderr := runOn(t.Context(), strings.NewReader("a\n"), noRoom{}, args...)
		if status != exitUsage || !strings.Contains(stderr, "no space left") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
}
