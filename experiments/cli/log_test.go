package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// runLog runs nest log, which must end with that status, and returns what it wrote.
func runLog(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	return says(t, want, "", "", append([]string{"log"}, args...)...)
}

// TestLog_ImportsAndExports a file of 8 000 lines, twice into the same room.
func TestLog_ImportsAndExports(t *testing.T) {
	dir := t.TempDir()
	file, store, copied := filepath.Join(dir, "lines.go"), filepath.Join(dir, "store"), filepath.Join(dir, "copy")
	text := strings.Repeat("}\n", 2_000) + numberedLines(6_000)
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	first, _ := runLog(t, exitOK, "import", file, store)
	before, _ := runLog(t, exitOK, "stats", store)
	again, _ := runLog(t, exitOK, "import", file, store)
	after, _ := runLog(t, exitOK, "stats", store)
	if !strings.Contains(first, "in 8000 chunks") || !strings.Contains(again, "of which 0 were new") || before != after {
		t.Errorf("%s%s%s%s", first, again, before, after)
	}
	runLog(t, exitOK, "export", store, copied)
	if got := readAll(t, copied); got != text {
		t.Errorf("%d bytes came back of %d", len(got), len(text))
	}
	says(t, exitUsage, "", "--force", "log", "export", store, copied)
	runLog(t, exitOK, "export", store, copied, "--force")
	runLog(t, exitOK, "import", file, store, "--name", "other")
	says(t, exitUsage, "", "--name", "log", "export", store, "-")
	if out, _ := runLog(t, exitOK, "export", store, "-", "--name", "other"); out != text {
		t.Errorf("%d bytes on standard output", len(out))
	}
	runLog(t, exitOK, "compact", store)
	says(t, exitOK, "all checksums fit", "", "log", "check", store)
}

// TestLog_KeysAndDamage puts, gets and deletes, and finds a flipped bit.
func TestLog_KeysAndDamage(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	says(t, exitUsage, "", "no store", "log", "get", store, "ant")
	runLog(t, exitOK, "put", store, "ant", "6 legs")
	if out, _ := runLog(t, exitOK, "get", store, "ant"); out != "6 legs" {
		t.Error(out)
	}
	says(t, exitFailed, "", "no such key", "log", "get", store, "spider")
	says(t, exitUsage, "", "no file was imported", "log", "export", store, "-")
	says(t, exitFailed, "", "no such key", "log", "export", store, "-", "--name", "x")
	runLog(t, exitOK, "delete", store, "ant")
	says(t, exitFailed, "", "deleted", "log", "get", store, "ant")
	runLog(t, exitOK, "compact", store)
	if _, e := runLog(t, exitFailed, "delete", store, "ant"); strings.Contains(e, "deleted:") || !strings.Contains(e, "no such key") {
		t.Error(e)
	}
	runLog(t, exitOK, "put", store, "ant", "many legs")
	names, _ := filepath.Glob(filepath.Join(store, "*.log"))
	b := must.Get(os.ReadFile(names[len(names)-1]))(t)
	b[len(b)-9] ^= 1
	must.Do(t, os.WriteFile(names[len(names)-1], b, 0o600))
	if _, e := runLog(t, exitUsage, "check", store); !strings.Contains(e, "at byte 0") || !strings.Contains(e, "corrupt") {
		t.Error(e)
	}
	index, _ := filepath.Glob(filepath.Join(store, "*.index"))
	b[len(b)-9] ^= 1
	must.Do(t, os.WriteFile(names[len(names)-1], b[:len(b)-3], 0o600))
	runLog(t, exitUsage, "check", store) // what a checkpoint has is not cut off
	must.Do(t, os.WriteFile(names[len(names)-1], append(b, "torn"...), 0o600))
	must.Do(t, os.Truncate(index[0], 1<<10))
	if _, e := runLog(t, exitOK, "stats", store); !strings.Contains(e, "4 bytes") || !strings.Contains(e, "made anew") {
		t.Error(e)
	}
	says(t, exitUsage, "", "none", "log", "import", filepath.Join(store, "none"), store)
}
