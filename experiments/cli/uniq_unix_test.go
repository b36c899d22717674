//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// As cat does, the commands die of SIGPIPE and say nothing, where standard output is closed after a byte.
func TestUniq_EarlyClosedPipe(t *testing.T) {
	dir := t.TempDir()
	// More than the pipe and the buffers on its way hold.
	file := writeKeys(t, dir, "long.txt", strings.Repeat("z", 1<<20)+"\n")
	filter := built(t, dir, "f.nest", "a\n", "--fpr", rare)
	for _, args := range [][]string{{"uniq", file}, {"filter", "query", "-v", filter, file}} {
		cmd := process(t, "", args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout := must(cmd.StdoutPipe())(t)
		begin(t, cmd)
		if first, err := bufio.NewReaderSize(stdout, 16).ReadByte(); first != 'z' || err != nil {
			t.Errorf("%q: the first byte is %q, %v", args, first, err)
		}
		stdout.Close()
		err := cmd.Wait()
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
			t.Errorf("%q: %v, %q, want an end by SIGPIPE without a word", args, err, stderr.String())
		}
	}
}
