//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asCommand makes the test binary the command nest with these arguments, one a line, for tests of what only a
// process of its own shows.
const asCommand = "NEST_TEST_COMMAND"

func TestUniq_ProcessForOtherTests(t *testing.T) {
	if args := os.Getenv(asCommand); args != "" {
		os.Exit(mainOf(strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
}

// As cat does, the commands die of SIGPIPE and say nothing.
func TestUniq_EarlyClosedPipe(t *testing.T) {
	dir := t.TempDir()
	// More than the pipe and the buffers on its way hold.
	file := writeKeys(t, dir, "long.txt", strings.Repeat("z", 1<<20)+"\n")
	endsBySIGPIPE(t, "uniq", file)
	endsBySIGPIPE(t, "filter", "query", "-v", built(t, dir, "f.nest", "a\n", "--fpr", rare), file)
}

// endsBySIGPIPE runs the command with a standard output that is closed after a byte.
func endsBySIGPIPE(t *testing.T, args ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestUniq_ProcessForOtherTests$")
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(args, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if first, err := bufio.NewReaderSize(stdout, 16).ReadByte(); first != 'z' || err != nil {
		t.Errorf("%q: the first byte is %q, %v", args, first, err)
	}
	stdout.Close()
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
		t.Errorf("%q: %v, %q, want an end by SIGPIPE without a word", args, err, stderr.String())
	}
}
