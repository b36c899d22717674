//go:build unix

package nest_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nestfilter/nest"
)

// TestSave_PipeStays refuses what is no regular file, and a link to it: a pipe that somebody reads is not to
// become a file that nobody does.
func TestSave_PipeStays(t *testing.T) {
	folder := t.TempDir()
	pipe, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "link")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, link} {
		if err := nest.Save(name, twin(t, 0)); err == nil ||
			err.Error() != "nest: save "+name+": is not a regular file" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v now, %v", info.Mode(), err)
	}
	if left := leftovers(t, folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
