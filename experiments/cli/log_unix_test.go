//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLog_AFullDiskIsSaidOnce: a failed import prints its error once, and the name is what it was. The disk is full since no file may have
// more than a block.
func TestLog_AFullDiskIsSaidOnce(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "file"), filepath.Join(dir, "store")
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runLog(t, exitOK, "import", file, store)
	if err := os.WriteFile(file, bytes.Repeat([]byte("new text\nand other lines\n"), 4<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 1; exec "$0" "-test.run=^TestUniq_ProcessForOtherTests$"`, program)
	cmd.Env = append(os.Environ(), asCommand+"=log\nimport\n"+file+"\n"+store)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
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
	b, err := os.ReadFile(log)
	if err == nil {
		err = os.WriteFile(log, append(b, "torn"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"get STORE ant", "stats STORE", "check STORE"} {
		if _, e := runLog(t, exitOK, strings.Fields(strings.ReplaceAll(line, "STORE", store))...); !strings.Contains(e, "left out") {
			t.Errorf("%s: %s", line, e)
		}
	}
	if now, err := os.ReadFile(log); err != nil || len(now) != len(b)+4 {
		t.Errorf("%d bytes, want %d: %v", len(now), len(b)+4, err)
	}
	if _, e := runLog(t, exitOK, "put", store, "bee", "6 legs"); !strings.Contains(e, "cut off") {
		t.Error(e)
	}
}
