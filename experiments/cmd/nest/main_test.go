package main

import (
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

// TestMain_DocNamesEveryCommand holds the package comment, which go doc shows, against the commands.
func TestMain_DocNamesEveryCommand(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range newRootCommand(experiments.Default()).Commands() {
		if !strings.Contains(string(source), "//	nest "+cmd.Name()+" ") {
			t.Errorf("the package comment does not name nest %s", cmd.Name())
		}
	}
}
