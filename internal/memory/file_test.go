package memory_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

func TestOpen_HasTheBytes(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 100_001} {
		name := filepath.Join(t.TempDir(), "f")
		want := bytes.Repeat([]byte("7"), n)
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := memory.OpenFile(name)
		if err != nil || !bytes.Equal(m.Bytes(), want) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		for range 2 {
			if err := m.Close(); err != nil || m.Bytes() != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
}

func TestOpen_Errors(t *testing.T) {
	if _, err := memory.OpenFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := memory.OpenFile(t.TempDir()); err == nil {
		t.Error("a folder was mapped")
	}
}
