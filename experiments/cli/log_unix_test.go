//go:build unix

package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestLog_AFullDiskIsSaidOnce: a failed import prints its error once, and the name is what it was. The disk is full since no file may have
// more than a block.
func TestLog_AFullDiskIsSaidOnce(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "file"), filepath.Join(dir, "store")
	writeKeys(t, dir, "file", "old\n")
	runLog(t, exitOK, "import", file, store)
	writeKeys(t, dir, "file", strings.Repeat("new text\nand other lines\n", 4<<10))
	cmd := process(t, "ulimit -f 1;", "log", "import", file, store)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != exitUsage || strings.Count(stderr.String(), "file too large") != 1 {
		t.Errorf("%v: %s", err, &stderr)
	}
	if out, _ := runLog(t, exitOK, "export", store, "-"); out != "old\n" {
		t.Errorf("the name stands for %.40q", out)
	}
}

// TestLog_ReadersDoNotWrite: they run where a store was opened to be read already, and leave a torn tail.
func TestLog_ReadersDoNotWrite(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	runLog(t, exitOK, "put", store, "ant", "6 legs")
	log := filepath.Join(store, "0000.log")
	torn := readAll(t, log) + "torn"
	writeKeys(t, store, "0000.log", torn)
	for _, line := range []string{"get STORE ant", "stats STORE", "check STORE"} {
		if _, e := runLog(t, exitOK, strings.Fields(strings.ReplaceAll(line, "STORE", store))...); !strings.Contains(e, "left out") {
			t.Errorf("%s: %s", line, e)
		}
	}
	if readAll(t, log) != torn {
		t.Error("a command that reads has written")
	}
	says(t, exitOK, "", "cut off", "log", "put", store, "bee", "6 legs")
}
