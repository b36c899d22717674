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
	"strings"
)

// Save writes f, a filter of any kind, to the file of that name, whole or not at all: whenever the program
// or the system ends, the name stands for the old file or for the new one. When Save has returned without an
// error, the new one is on the disk.
//
// It writes a temporary file in the same folder, whose name begins with a dot and ends in .tmp, has the system write it
// to the disk, renames it, and has the system write the folder. An old file's permissions are kept; a new file has 0666
// less the umask. The owner of an old file and other links to it are not kept, and a temporary file that a crash has
// left is not removed. If the name is a symbolic link, Save replaces or makes the file that it points to.
//
// A folder, a named pipe or a device cannot be replaced whole: that is an error, and nothing is written. To write to
// one, open it and call WriteTo.
//
// Other errors are those of WriteTo and of the system, and begin with the name as it was given. The old file is then as
// it was, unless only the last step failed: writing the folder. No temporary file is left, not even where WriteTo
// panics. A nil f is [ErrConfig].
func Save(name string, f io.WriterTo) error {
	old, err := os.Stat(name)
	switch {
	case f == nil:
		err = fmt.Errorf("%w: no filter to save", ErrConfig)
	case err != nil:
		old, err = nil, nil // a new file, or writing will tell what is wrong
	case !old.Mode().IsRegular():
		err = errors.New("is not a regular file")
	}
	target := name
	if err == nil {
		target, err = linked(name)
	}
	if err == nil {
		err = save(target, old, f)
	}
	if err != nil {
		return fmt.Errorf("nest: save %s: %w", name, err)
	}
	return nil
}

// maxLinks is how many symbolic links are followed one after the other: systems follow 40 or fewer.
const maxLinks = 40

// linked returns the name behind a chain of symbolic links, whether a file is there or not.
func linked(name string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link, or nothing: what is wrong with it, writing will tell
		}
		if !filepath.IsAbs(target) {
			// The link's folder may be a link itself, which ".." in the target is not to be taken from.
			folder, err := filepath.EvalSymlinks(folderOf(name))
			if err != nil {
				return "", reason(err)
			}
			target = folder + string(filepath.Separator) + target
		}
		name = target
	}
	return "", fmt.Errorf("more than %d symbolic links, one to the other", maxLinks)
}

// folderOf is filepath.Dir without its cleaning, which would take ".." back over links.
func folderOf(name string) string {
	folder, _ := filepath.Split(name)
	if folder == "" {
		return "."
	}
	return folder
}

// save writes f to the file of that name, which is no link, in place of the old one. Its errors name no files.
func save(name string, old fs.FileInfo, f io.WriterTo) (err error) {
	temporary, err := createBeside(name)
	if err != nil {
		return reason(err)
	}
	renamed := false
	defer func() {
		if renamed {
			return
		}
		if left := os.Remove(temporary.Name()); left != nil {
			err = errors.Join(err, fmt.Errorf("its temporary file, which ends in .tmp, stays: %w", reason(left)))
		}
	}()
	if err := writeAll(temporary, old, f); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), name); err != nil {
		return reason(err)
	}
	renamed = true
	return syncFolder(folderOf(name))
}

// shownBytes is how much of its name a temporary file has. Names have 143 bytes at least on systems in use.
const shownBytes = 100

// createBeside makes a new file in the same folder, which alone lets it be renamed in one step.
func createBeside(name string) (*os.File, error) {
	folder, base := filepath.Split(name)
	base = strings.ToValidUTF8(base[:min(len(base), shownBytes)], "")
	for tries := 0; ; tries++ {
		temporary := fmt.Sprintf("%s.%s.%08x.tmp", folder, base, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || tries == 100 {
			return f, err
		}
	}
}

// writeAll writes f to the temporary file, gives it the permissions of the old one, if there is one, and closes it.
func writeAll(temporary *os.File, old fs.FileInfo, f io.WriterTo) (err error) {
	defer func() { err = errors.Join(err, reason(temporary.Close())) }()
	if old != nil {
		if err := temporary.Chmod(old.Mode().Perm()); err != nil {
			return reason(err)
		}
	}
	w := bufio.NewWriter(anonymous{temporary}) // joins small pieces; large ones pass through
	if _, err := f.WriteTo(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return reason(temporary.Sync())
}

// anonymous is a file whose errors do not tell its name.
type anonymous struct{ file *os.File }

// Write is that of the file.
func (a anonymous) Write(b []byte) (int, error) {
	n, err := a.file.Write(b)
	return n, reason(err)
}

// reason returns an error of the system without the name of the file that it met: callers know another one.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// syncFolder has the system write a folder to the disk, where the new name is. Windows has no such call.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(name)
	if err != nil {
		return reason(err)
	}
	return errors.Join(reason(folder.Sync()), reason(folder.Close()))
}
