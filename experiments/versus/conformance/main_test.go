package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestRun_PrintsATable(t *testing.T) {
	var out strings.Builder
	dir := t.TempDir()
	if err := run([]string{"--capacities", "200", "--refusals", "20", "--out", dir, "--formats", "md"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"taken at first refusal", "github.com/seiflotfy/cuckoofilter", "github.com/nestfilter/nest"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the table lacks %q", text)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "CONFORMANCE.md" {
		t.Errorf("files %v, %v", files, err)
	}
}

func TestRun_RefusesBadArguments(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"--capacities", ""}, {"--capacities", "0"}, {"--capacities", "1,x"}, {"--what"}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
