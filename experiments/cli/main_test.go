package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

// mainOf runs the command with nothing added to it.
func mainOf(args []string, stdout, stderr io.Writer) int {
	return Main(experiments.Default(), args, stdout, stderr)
}

// TestMain_DocNamesEveryCommand holds the package comment, which go doc shows, against the commands.
func TestMain_DocNamesEveryCommand(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "cmd", "nest", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range newRootCommand(experiments.Default()).Commands() {
		if !strings.Contains(string(source), "//	nest "+cmd.Name()+" ") {
			t.Errorf("the package comment does not name nest %s", cmd.Name())
		}
	}
}

// interruptBlockedRead runs a command on an input of which it should write the lines a and b, and interrupts it then, while it
// waits for more.
func interruptBlockedRead(t *testing.T, input string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stdin, source := io.Pipe()
	defer source.Close()
	root := newRootCommand(experiments.Default())
	root.SetIn(stdin)
	var stderr bytes.Buffer
	stdout, sink := io.Pipe()
	go func() {
		io.WriteString(source, input)
		io.ReadFull(stdout, make([]byte, len("a\nb\n"))) // arrives while the input is still open
		cancel()
	}()
	status := runCommand(ctx, root, args, sink, &stderr)
	if want := "nest: interrupted, 2 lines were written\n"; status != exitInterrupted || stderr.String() != want {
		t.Errorf("status %d, %q, want %q", status, stderr.String(), want)
	}
}
