package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrExists is wrapped by the error of Create for a folder that holds something already.
var ErrExists = errors.New("exists and is not empty")

// ErrReport is wrapped, besides ErrExists, where the folder holds an earlier report and nothing else, which Force
// replaces.
var ErrReport = fmt.Errorf("%w: it holds an earlier report", ErrExists)

// Options say how a folder is made.
type Options struct {
	// Force replaces a folder that holds an earlier report, that is a manifest.json and what it lists. A folder
	// that holds anything else is never replaced: somebody's own files would be lost.
	Force bool
	// Argv is the command line for the manifest; nil is the program's own.
	Argv []string
	// From is the manifest of the run whose results are shown again; nil for results of this run. The
	// new manifest keeps all of it but the files, and notes this program's command line as Rebuilt.
	From *Manifest
	// Start is when the work began, for the manifest; zero is now.
	Start time.Time
}

// A Writer fills one output folder. It is for one goroutine.
type Writer struct {
	dir     string    // where the report will be, absolute
	stage   string    // the temporary folder, in the nearest parent that there is; empty once committed or closed
	replace *Manifest // of the report that is replaced, if there is one
	files   []File
	man     Manifest
}

// Create checks that dir can become a report and opens a temporary folder beside it, or in the nearest of its
// parents: Commit makes those that are missing. The error names dir: it wraps ErrExists if dir holds something and
// Force does not apply, ErrReport too if Force would, and the system's error if dir is no folder, leads nowhere or
// cannot be written.
func Create(dir string, o Options) (*Writer, error) {
	abs, err := filepath.Abs(dir)
	if info, lerr := os.Lstat(abs); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		abs, err = filepath.EvalSymlinks(abs) // a rename would replace the link and not what it leads to
	}
	if err != nil {
		return nil, fmt.Errorf("report: folder %q: %w", dir, err)
	}
	w := &Writer{dir: abs, man: Manifest{Argv: o.Argv, Module: ThisModule(), Machine: ThisMachine(),
		Start: time.Now().UTC()}}
	if w.man.Argv == nil {
		w.man.Argv = append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	}
	if !o.Start.IsZero() {
		w.man.Start = o.Start.UTC()
	}
	if o.From != nil {
		again := &Rebuilt{Argv: w.man.Argv, Module: w.man.Module, At: w.man.Start}
		w.man = *o.From
		w.man.Rebuilt, w.man.Files = again, nil
	}
	if err := w.open(o.Force); err != nil {
		return nil, errors.Join(fmt.Errorf("report: folder %q: %w", dir, err), w.Close())
	}
	return w, nil
}

// Check tells whether [Create] would take dir now, and leaves nothing behind: for commands that read
// much before they write.
func Check(dir string, o Options) error {
	w, err := Create(dir, o)
	if err != nil {
		return err
	}
	return w.Close()
}

func (w *Writer) open(force bool) error {
	empty, err := w.inspect(force)
	if err != nil {
		return err
	}
	parent := filepath.Dir(w.dir)
	for _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(parent) {
		parent = filepath.Dir(parent)
	}
	if w.stage, err = os.MkdirTemp(parent, "."+filepath.Base(w.dir)+".tmp-"); err == nil {
		err = os.Chmod(w.stage, 0o755)
	}
	if err == nil && empty { // of a mount point it is known now, rather than after the work, that it cannot be replaced
		if err = os.Remove(w.dir); err == nil {
			err = os.Mkdir(w.dir, 0o755)
		}
	}
	return err
}

// inspect reports whether dir is an empty folder, or what is wrong with it.
func (w *Writer) inspect(force bool) (empty bool, err error) {
	info, err := os.Stat(w.dir)
	switch here, herr := os.Stat("."); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, errors.New("is a file")
	case herr == nil && os.SameFile(here, info):
		return false, errors.New("is the working directory; name a folder in it")
	}
	content, err := os.ReadDir(w.dir)
	if err != nil || len(content) == 0 {
		return true, err
	}
	if !slices.ContainsFunc(content, func(e fs.DirEntry) bool { return e.Name() == manifestName }) {
		return false, fmt.Errorf("%w, and holds no %s, so it is not a report to replace", ErrExists, manifestName)
	}
	if w.replace, err = ReadManifest(w.dir); err != nil {
		return false, fmt.Errorf("%w, and is not a report to replace: %w", ErrExists, err)
	}
	if err = w.replace.alone(w.dir); err == nil && !force {
		err = ErrReport
	}
	return false, err
}

// alone returns an error that wraps ErrExists for a folder that holds more than the manifest lists.
func (m *Manifest) alone(dir string) error {
	others, err := m.others(dir)
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%w, and holds what is no part of the report and would be lost: %s; "+
			"move that elsewhere, or name another folder",
			ErrExists, strings.Join(others, ", "))
	}
	return err
}

// writeFile adds a file, which must be new and have a plain name, and says which of its columns are timed.
func (w *Writer) writeFile(name string, data []byte, timed []string) error {
	switch {
	case w.stage == "":
		return fmt.Errorf("report: %s: the writer is closed", name)
	case !plainName(name):
		return fmt.Errorf("report: %q is no file name", name)
	case name == manifestName || slices.ContainsFunc(w.files, func(f File) bool { return f.Name == name }):
		return fmt.Errorf("report: %s is written already", name)
	}
	if err := os.WriteFile(filepath.Join(w.stage, name), data, 0o644); err != nil {
		return fmt.Errorf("report: folder %q: %w", w.dir, err)
	}
	w.files = append(w.files, File{Name: name, SHA256: sumOf(data), Bytes: len(data), Timed: timed})
	return nil
}

// Commit writes the manifest and renames the temporary folder to dir. After an error, dir is what it
// was before Create and the Writer is closed.
func (w *Writer) Commit() error {
	if w.stage == "" {
		return fmt.Errorf("report: folder %q: the writer is closed", w.dir)
	}
	if w.man.Rebuilt == nil {
		w.man.End = time.Now().UTC()
	}
	w.man.Files = w.files
	data, err := json.MarshalIndent(w.man, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(w.stage, manifestName), append(data, '\n'), 0o644)
	}
	if err == nil {
		err = w.rename()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("report: folder %q: %w", w.dir, err), w.Close())
	}
	w.stage = ""
	return nil
}

// rename puts the finished folder in place; an earlier report steps aside until that has worked.
func (w *Writer) rename() error {
	if w.replace == nil {
		if err := os.MkdirAll(filepath.Dir(w.dir), 0o755); err != nil {
			return err
		}
		if info, err := os.Stat(w.dir); err == nil && info.IsDir() {
			os.Remove(w.dir) // an empty folder; of another one Rename says what is wrong
		}
		return os.Rename(w.stage, w.dir)
	}
	aside := w.stage + ".old"
	if err := os.Rename(w.dir, aside); err != nil {
		return err
	}
	err := w.replace.alone(aside) // somebody may have put something there meanwhile
	if err == nil {
		err = os.Rename(w.stage, w.dir)
	}
	if err != nil {
		return errors.Join(err, os.Rename(aside, w.dir))
	}
	return os.RemoveAll(aside)
}

// Close removes what an uncommitted Writer has made. After Commit, or a second time, it does nothing.
func (w *Writer) Close() (err error) {
	if w.stage != "" {
		err = os.RemoveAll(w.stage)
	}
	w.stage = ""
	return err
}
