package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nestfilter/nest/experiments/files"
)

func TestReadKeys_Files(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "keys.txt")
	if err := os.WriteFile(name, []byte("a\nbc\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := &cobra.Command{Use: "bench"}
	cmd.SetContext(t.Context())
	cmd.SetIn(strings.NewReader("a\n"))
	s, err := readKeys(cmd, name)
	if err != nil || s.Name != name || s.KeyBytes() != 3 {
		t.Errorf("file: %v, %v", s, err)
	}
	s, err = readKeys(cmd, files.Stdin)
	if err != nil || s.Name != "standard input" {
		t.Errorf("standard input: %v, %v", s, err)
	}
	missing := filepath.Join(dir, "missing.txt")
	if _, err := readKeys(cmd, missing); !errors.Is(err, os.ErrNotExist) || err.Error() != "bench: "+missing+": no such file or directory" {
		t.Errorf("missing file: %v", err)
	}
	if _, err := readKeys(cmd, dir); err == nil || !strings.Contains(err.Error(), dir+": is a directory") {
		t.Errorf("directory: %v", err)
	}
	if os.Getuid() != 0 { // who is root can read everything
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := readKeys(cmd, name); !errors.Is(err, os.ErrPermission) {
			t.Errorf("unreadable file: %v", err)
		}
	}
}
