package nest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// Save writes f, a filter of any kind, to the file of that name, whole or not at all: whenever the program
// or the system ends, the name stands for the old file or for the new one. When Save has returned without an
// error, the new one is on the disk.
//
// It writes a temporary file beside it, whose name begins with a dot and ends in .tmp, has the system
// write it to the disk, renames it, and has the system write the folder. Permissions of an old file are
// kept; a new one has 0666 less the umask. Its owner, other links to it and a temporary file that a crash
// has left are not looked after. A symbolic link stays one, and what it points to is replaced.
//
// The errors are those of WriteTo and of the system. The old file is then as it was, unless the very last
// step failed: writing the folder.
func Save(name string, f io.WriterTo) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := save(name, f); err != nil {
		return fmt.Errorf("nest: save %s: %w", name, err)
	}
	return nil
}

func save(name string, f io.WriterTo) error {
	temporary, err := createBeside(name)
	if err != nil {
		return err
	}
	err = writeAll(temporary, name, f)
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return syncFolder(filepath.Dir(name))
}

// createBeside makes a new file in the same folder, which alone lets it be renamed in one step.
func createBeside(name string) (*os.File, error) {
	folder, base := filepath.Split(name)
	for tries := 0; ; tries++ {
		f, err := os.OpenFile(filepath.Join(folder, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || tries == 100 {
			return f, err
		}
	}
}

// writeAll writes f to the temporary file and closes it.
func writeAll(temporary *os.File, name string, f io.WriterTo) (err error) {
	defer func() { err = errors.Join(err, temporary.Close()) }()
	if old, err := os.Stat(name); err == nil {
		if err := temporary.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	w := bufio.NewWriter(temporary) // joins small pieces; large ones pass through
	if _, err := f.WriteTo(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return temporary.Sync()
}

// syncFolder has the system write a folder to the disk, where the new name is. Windows has no such call.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
