package cli

import (
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
