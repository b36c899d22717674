package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// Errors of a run under way that cannot be gone on with, for errors.Is. Each is wrapped with what is wrong, and where.
var (
	// ErrOther says that the trials belong to another run: of another profile, seed, experiment, or columns or revision of one, or of another
	// machine although trials were timed.
	ErrOther = errors.New("belongs to another run")
	// ErrCorrupt says that a line is not as it was written.
	ErrCorrupt = errors.New("corrupt line")
	// ErrBusy says that another process writes to the folder now.
	ErrBusy = errors.New("in use by another process")
	// ErrForeign says that the folder is not removed since it holds files that are not the run's.
	ErrForeign = errors.New("its folder stays, for it holds files of somebody else")
)

// manifestName is the file that says what run the folder is of. A process that writes to the folder has it locked.
const manifestName = "manifest.json"

// syncEvery bounds how much of the work a power failure can cost. Asking the disk after every trial would cost
// more than the shortest trials do.
const syncEvery = 2 * time.Second

// A JournalPlan is what one experiment is going to append.
type JournalPlan struct {
	Experiment string
	Columns    []string // of its journalTable in the report
	Revision   int      // trials of another one count otherwise
	Timed      bool     // the machine decides some of the counts
}

// A Journal is a run under way, open for appending. Its methods may be called from several goroutines.
type Journal struct {
	dir   string
	made  []string        // folders that were missing
	first report.Manifest // of the first sitting
	now   report.Manifest

	mu     sync.Mutex
	lock   *os.File
	files  map[string]*journalTable
	trials int // in the files
	synced time.Time
}

// A journalTable is the file of one experiment.
type journalTable struct {
	journalPart
	file  *os.File
	dirty bool // since it was synced
}

// openJournal opens the folder of a run under way, or begins one. Missing parents are made. The manifest says of what run: its
// machine, profile and first seed count. It reads all trials and
// costs memory for them, some 300 bytes each. While it is open no other process can open it. An error wraps [ErrOther]
// with what differs, [ErrCorrupt] with file and line, or [ErrBusy]; the folder is then as it was.
func openJournal(dir string, m report.Manifest) (*Journal, error) {
	r := &Journal{dir: dir, now: m, synced: time.Now(), files: map[string]*journalTable{}}
	err := r.makeFolders()
	if err == nil {
		if err = r.open(); err == nil {
			return r, nil
		}
	}
	err = errors.Join(err, r.close())
	if slices.Contains(r.made, dir) {
		_ = os.Remove(filepath.Join(dir, manifestName))
	}
	r.removeFolders()
	return nil, err
}

// makeFolders makes the run's folder and those above it, and remembers them.
func (r *Journal) makeFolders() error {
	var missing []string
	for p := r.dir; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, p)
	}
	for _, p := range slices.Backward(missing) {
		if err := os.Mkdir(p, 0o755); err != nil {
			return fmt.Errorf("experiments: %w", err)
		}
		r.made = append(r.made, p)
	}
	return nil
}

// removeFolders removes those of them that nothing is in.
func (r *Journal) removeFolders() {
	for _, p := range slices.Backward(r.made) {
		_ = os.Remove(p) // not empty: the report is there, or another program's files
	}
}

func (r *Journal) open() (err error) {
	path := filepath.Join(r.dir, manifestName)
	if r.lock, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if err := lock(r.lock); err != nil {
		return fmt.Errorf("experiments: %s: %w", path, err)
	}
	data, err := io.ReadAll(r.lock)
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if !bytes.HasSuffix(data, []byte("}\n")) { // new, or the program died before its first trial
		r.first = r.now
		return r.writeManifest()
	}
	if err := json.Unmarshal(data, &r.first); err != nil || len(r.first.Seeds) != 1 {
		return fmt.Errorf("experiments: %s: %w: no manifest of a run under way", path, ErrCorrupt)
	}
	if err := r.same(); err != nil {
		return err
	}
	parts, err := readParts(r.dir)
	if err != nil {
		return err
	}
	for name, p := range parts {
		if err := r.openTable(name, p); err != nil {
			return err
		}
	}
	return nil
}

// writeManifest writes the manifest.
func (r *Journal) writeManifest() error {
	data, err := json.MarshalIndent(r.now, "", "  ")
	if err == nil {
		err = r.lock.Truncate(0)
	}
	if err == nil {
		_, err = r.lock.WriteAt(append(data, '\n'), 0)
	}
	if err == nil {
		err = r.lock.Sync()
	}
	return r.wrap(err)
}

// same tells whether this run is that of the first sitting.
func (r *Journal) same() error {
	was, is := r.first, r.now
	switch {
	case was.Profile != is.Profile:
		return r.other("it is of profile %s, this run of %s", was.Profile, is.Profile)
	case was.Seeds[0] != is.Seeds[0]:
		return r.other("it is of seed %d, this run of %d", was.Seeds[0], is.Seeds[0])
	}
	return nil
}

// openTable opens the file of an experiment for appending, behind what it holds.
func (r *Journal) openTable(name string, p journalPart) error {
	file, err := os.OpenFile(filepath.Join(r.dir, name+".csv"), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	r.files[name] = &journalTable{journalPart: p, file: file}
	r.trials += p.trials
	if err = file.Truncate(int64(p.size)); err == nil {
		_, err = file.Seek(int64(p.size), io.SeekStart)
	}
	return r.wrap(err)
}

// Path is the name of the folder.
func (r *Journal) Path() string { return r.dir }

// Begin says what this run is going to append, and returns the tables of the trials that earlier sittings finished, in the order in
// which they ended, with two columns more than those of the plan. Every experiment of an earlier sitting must be among the plans, with the
// same columns and revision: the error wraps [ErrOther] otherwise. An experiment may be new.
func (r *Journal) Begin(plans []JournalPlan) (map[string]report.Table, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, timed := map[string]bool{}, false
	for _, p := range plans {
		known[p.Experiment], timed = true, timed || p.Timed
	}
	if was, is := machineOf(r.first), machineOf(r.now); timed && was != is {
		return nil, r.other("it was begun on the machine %q, this is %q, and trials are timed", was, is)
	}
	for name, f := range r.files {
		if !known[name] && f.trials > 0 {
			return nil, r.other("it has %s, which this run leaves out", name)
		}
	}
	kept := map[string]report.Table{}
	for _, p := range plans {
		if err := r.beginTable(p); err != nil {
			return nil, err
		}
		kept[p.Experiment] = r.files[p.Experiment].table
	}
	return kept, nil
}

// machineOf is that of a manifest as far as times depend on it: the memory of a virtual machine varies.
func machineOf(m report.Manifest) string {
	m.Machine.MemoryBytes = 0
	return m.Machine.String()
}

// beginTable begins the file of an experiment, unless it is there.
func (r *Journal) beginTable(p JournalPlan) error {
	columns := slices.Concat(p.Columns, endColumns(p.Revision))
	f := r.files[p.Experiment]
	if f != nil {
		if !slices.Equal(f.table.Columns, columns) {
			return r.other("its columns of %s are %s, this run's %s", p.Experiment, strings.Join(f.table.Columns, ","), strings.Join(columns, ","))
		}
		return nil
	}
	begun := report.Table{Columns: columns}
	header, err := begun.CSV()
	if err != nil {
		return r.wrap(err)
	}
	path := filepath.Join(r.dir, p.Experiment+".csv")
	if there, err := os.ReadFile(path); err == nil && !bytes.HasPrefix(header, there) { // else the program died before it was whole
		return r.wrap(fmt.Errorf("%s is there and is somebody else's", path))
	}
	if err := r.openTable(p.Experiment, journalPart{table: begun}); err != nil {
		return err
	}
	return r.files[p.Experiment].write(header)
}

// other is an error about a folder of another run.
func (r *Journal) other(format string, args ...any) error {
	return fmt.Errorf("experiments: %s: %w: "+format, append([]any{r.dir, ErrOther}, args...)...)
}

// Append keeps the rows of a trial of an experiment that [Journal.Begin] has been told of. They survive the end of the program from now on, and a
// power failure from two seconds on, if other trials follow.
func (r *Journal) Append(experiment string, rows [][]string, took time.Duration) error {
	text, err := lines(rows, took)
	if err != nil {
		return r.wrap(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.files[experiment]
	if f == nil {
		return r.wrap(fmt.Errorf("%s: the run was begun without it", experiment))
	}
	if err := f.write(text); err != nil {
		return err
	}
	r.trials++
	if time.Since(r.synced) < syncEvery {
		return nil
	}
	return r.sync()
}

// write writes lines in one call. What a full disk has taken of them is cut off: the next would stand behind half a line.
func (f *journalTable) write(text []byte) error {
	_, err := f.file.Write(text)
	if err == nil {
		f.size += len(text)
		f.dirty = true
		return nil
	}
	if f.file.Truncate(int64(f.size)) == nil {
		_, _ = f.file.Seek(int64(f.size), io.SeekStart) // of the error that is returned the caller knows enough
	}
	return fmt.Errorf("experiments: %w", err)
}

// sync brings to the disk what was written since it did.
func (r *Journal) sync() (err error) {
	r.synced = time.Now()
	for _, f := range r.files {
		if f.dirty {
			err = errors.Join(err, f.file.Sync())
			f.dirty = false
		}
	}
	return r.wrap(err)
}

func (r *Journal) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("experiments: %s: %w", r.dir, err)
	}
	return nil
}

// Len is the number of trials that the folder holds.
func (r *Journal) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trials
}

// Close brings everything to the disk. A folder without trials is removed. Of a run that is closed it does nothing.
func (r *Journal) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lock == nil {
		return nil
	}
	if r.trials == 0 {
		return r.remove()
	}
	return r.wrap(errors.Join(r.sync(), r.close()))
}

// close closes all files.
func (r *Journal) close() (err error) {
	for _, f := range r.files {
		err = errors.Join(err, f.file.Close())
	}
	if r.lock != nil {
		err = errors.Join(err, r.lock.Close())
	}
	r.lock, r.files = nil, nil
	return err
}

// Remove closes the run and removes its folder, when the report has what it held. If the folder holds files of somebody else it stays, with
// them: the error wraps [ErrForeign] and names them.
func (r *Journal) Remove() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.remove()
}

// remove takes the folder away and then gives up the lock, so that nobody opens a file that is about to go.
func (r *Journal) remove() error {
	if r.lock == nil {
		return r.wrap(os.ErrClosed)
	}
	var err error
	for _, f := range r.files {
		err = errors.Join(err, f.file.Close(), os.Remove(f.file.Name()))
	}
	if err = errors.Join(err, removeFile(r.lock)); err == nil {
		err = removeFolder(r.dir)
	}
	r.removeFolders()
	r.lock, r.files, r.trials = nil, nil, 0
	return r.wrap(err)
}

// removeFolder removes the folder of a run whose files are gone.
func removeFolder(dir string) error {
	others, err := os.ReadDir(dir)
	if err != nil || len(others) == 0 {
		return errors.Join(err, os.Remove(dir))
	}
	var names []string
	for _, o := range others {
		names = append(names, o.Name())
	}
	return fmt.Errorf("%w: %s", ErrForeign, strings.Join(names, ", "))
}

// DiscardJournal removes the trials in a folder, whatever run they belong to and however damaged they are, and the folder too unless it
// holds files of somebody else. It is no error if there are none; it is one, that wraps [ErrBusy], if another process writes to it.
func DiscardJournal(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, manifestName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if err := lock(file); err != nil {
		return errors.Join(fmt.Errorf("experiments: %s: %w", file.Name(), err), file.Close())
	}
	paths, err := csvFiles(dir)
	for _, path := range paths {
		if _, ours, _ := readPart(path); ours {
			err = errors.Join(err, os.Remove(path))
		}
	}
	if err = errors.Join(err, removeFile(file)); err == nil {
		err = removeFolder(dir)
	}
	if err != nil && !errors.Is(err, ErrForeign) {
		return fmt.Errorf("experiments: %w", err)
	}
	return nil
}
