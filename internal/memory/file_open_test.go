package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpen_NamesWhatCannotBeMapped opens descriptors that the system refuses: one that is closed, and one
// that may only be written.
func TestOpen_NamesWhatCannotBeMapped(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	if m, err := openFile(f); m != nil || err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("write-only: %v, %v, want an error that names %s", m, err, name)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err := openFile(f); m != nil || !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v, %v, want ErrClosed", m, err)
	}
}
