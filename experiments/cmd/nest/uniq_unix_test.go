//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asCommand makes the test binary the command nest, for tests of what only a process of its own shows.
const asCommand = "NEST_TEST_UNIQ"

func TestUniq_ProcessForOtherTests(t *testing.T) {
	if file := os.Getenv(asCommand); file != "" {
		os.Exit(run([]string{"uniq", file}, os.Stdout, os.Stderr))
	}
}

// As cat does, the command dies of SIGPIPE and says nothing.
func TestUniq_EarlyClosedPipe(t *testing.T) {
	// More than the pipe and the buffers on its way hold.
	file := writeKeys(t, t.TempDir(), "long.txt", strings.Repeat("z", 1<<20)+"\n")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestUniq_ProcessForOtherTests$")
	cmd.Env = append(os.Environ(), asCommand+"="+file)
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
		t.Errorf("the first byte is %q, %v", first, err)
	}
	stdout.Close()
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
		t.Errorf("%v, %q, want an end by SIGPIPE without a word", err, stderr.String())
	}
}
