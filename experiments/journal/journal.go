package journal

import (
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
)

// Errors of a journal that cannot be used, for errors.Is. Each is wrapped with what is wrong, and where.
var (
	// ErrOther says that the journal belongs to another run: of another version, profile, seed or plan,
	// or of another machine although trials were timed.
	ErrOther = errors.New("belongs to another run")
	// ErrCorrupt says that a line is not as it was written.
	ErrCorrupt = errors.New("corrupt line")
	// ErrBusy says that another process writes to the journal now.
	ErrBusy = errors.New("in use by another process")
	// ErrForeign says that the folder is not removed since it holds files that are not the journal's.
	ErrForeign = errors.New("its folder stays, for it holds files of somebody else")
)

// fileName is the file of a journal.
const fileName = "trials.jsonl"

// syncEvery bounds how much of the work a power failure can cost. Asking the disk after every trial would cost
// more than the shortest trials do.
const syncEvery = 2 * time.Second

// Head says what the trials depend on besides their own parameters. Two runs whose heads differ have no trial
// in common.
type Head struct {
	Version string `json:"version"` // of the module, with revision
	Profile string `json:"profile"`
	Seed    uint64 `json:"seed"`
	Machine string `json:"machine"` // compared only where trials are timed

	// AnyVersion accepts a journal of another version.
	AnyVersion bool `json:"-"`
}

// A Plan is what one experiment is going to do.
type Plan struct {
	Experiment string `json:"experiment"`
	Hash       string `json:"hash"`  // equal for equal plans
	Timed      bool   `json:"timed"` // the machine decides some of the counts
}

// A Trial is one finished trial.
type Trial struct {
	Experiment string        `json:"experiment"`
	Series     string        `json:"series"`
	Params     []string      `json:"params"`
	Trial      int           `json:"trial"`
	Seed       uint64        `json:"seed"`
	Counts     []int         `json:"counts"`
	Took       time.Duration `json:"took"` // nanoseconds
}

// A Journal is open for appending. Its methods may be called from several goroutines.
type Journal struct {
	dir     string
	head    Head
	plans   []Plan
	trials  []Trial  // of earlier sittings
	at      []int    // the lines of the file in which they stand
	made    []string // folders that were missing
	machine string   // of the first sitting
	version string   // of the first sitting

	mu     sync.Mutex
	file   *os.File
	synced time.Time
	lines  int   // trials in the file
	size   int64 // of the file, in bytes
}

// Open opens the journal in a folder, or begins one. Missing parents are made. It reads all trials and costs
// memory for them, some 300 bytes each. While it is open no other process can open it. An error wraps
// [ErrOther] with what differs, [ErrCorrupt] with file and line, or [ErrBusy]; the folder is then as it was.
func Open(dir string, h Head) (*Journal, error) {
	j := &Journal{dir: dir, head: h, synced: time.Now()}
	err := j.makeFolders()
	if err == nil {
		if err = j.open(); err == nil {
			return j, nil
		}
	}
	if j.file != nil {
		err = errors.Join(err, j.file.Close())
	}
	if slices.Contains(j.made, dir) {
		_ = os.Remove(j.Path())
	}
	j.removeFolders()
	return nil, err
}

// makeFolders makes the journal's folder and those above it, and remembers them.
func (j *Journal) makeFolders() error {
	var missing []string
	for p := j.dir; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, p)
	}
	for _, p := range slices.Backward(missing) {
		if err := os.Mkdir(p, 0o755); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		j.made = append(j.made, p)
	}
	return nil
}

// removeFolders removes those of them that nothing is in.
func (j *Journal) removeFolders() {
	for _, p := range slices.Backward(j.made) {
		_ = os.Remove(p) // not empty: the report is there, or another program's files
	}
}

func (j *Journal) open() (err error) {
	if j.file, err = os.OpenFile(j.Path(), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := lock(j.file); err != nil {
		return fmt.Errorf("journal: %s: %w", j.Path(), err)
	}
	data, err := io.ReadAll(j.file)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	size, err := j.read(data)
	if err != nil {
		return err
	}
	j.lines = len(j.trials)
	if size < len(data) {
		err = j.file.Truncate(int64(size))
	}
	if err == nil {
		_, err = j.file.Seek(int64(size), io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if j.size = int64(size); size == 0 {
		j.machine, j.version = j.head.Machine, j.head.Version
		return j.append(record{Head: &j.head})
	}
	return nil
}

// Path is the name of the journal's file.
func (j *Journal) Path() string { return filepath.Join(j.dir, fileName) }

// Head is what the journal was opened with.
func (j *Journal) Head() Head { return j.head }

// Version is the version of the first sitting: another one than the head's only with AnyVersion.
func (j *Journal) Version() string { return j.version }

// Begin tells the journal what this run is going to do, and returns the trials that earlier sittings
// finished, in the order in which they ended. Every experiment of an earlier sitting must be among the plans, with
// the same hash: the error wraps [ErrOther] otherwise. An experiment may be new.
func (j *Journal) Begin(plans []Plan) ([]Trial, error) {
	known := map[string]Plan{}
	for _, p := range plans {
		known[p.Experiment] = p
	}
	if slices.ContainsFunc(plans, func(p Plan) bool { return p.Timed }) && j.machine != j.head.Machine {
		return nil, j.other("it was begun on the machine %q, this is %q, and trials are timed", j.machine, j.head.Machine)
	}
	for _, old := range j.plans {
		now, ok := known[old.Experiment]
		switch {
		case !ok:
			return nil, j.other("it has %s, which this run leaves out", old.Experiment)
		case now.Hash != old.Hash:
			return nil, j.other("its plan of %s has the hash %s, this run's %s: other parameters", old.Experiment, old.Hash, now.Hash)
		}
		delete(known, old.Experiment)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range plans {
		if _, isNew := known[p.Experiment]; !isNew {
			continue
		}
		j.plans = append(j.plans, p)
		if err := j.append(record{Plan: &p}); err != nil {
			return nil, err
		}
	}
	return j.trials, nil
}

// Line is the line of the file in which a trial stands that Begin returned, by its place among them, for errors.
func (j *Journal) Line(trial int) int { return j.at[trial] }

// other is an error about a journal of another run.
func (j *Journal) other(format string, args ...any) error {
	return fmt.Errorf("journal: %s: %w: "+format, append([]any{j.Path(), ErrOther}, args...)...)
}

// Append keeps a trial. It survives the end of the program from now on, and a power failure from two
// seconds on, if other trials follow.
func (j *Journal) Append(t Trial) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(record{Trial: &t}); err != nil {
		return err
	}
	j.lines++
	if time.Since(j.synced) < syncEvery {
		return nil
	}
	j.synced = time.Now()
	return j.wrap(j.file.Sync())
}

// append writes a line in one call, so that no line of another goroutine stands within it. What a full disk has taken
// of one is cut off: the next would stand behind half a line.
func (j *Journal) append(r record) error {
	line, err := r.line()
	if err == nil {
		_, err = j.file.Write(line)
	}
	if err == nil {
		j.size += int64(len(line))
		return nil
	}
	if j.file.Truncate(j.size) == nil {
		_, _ = j.file.Seek(j.size, io.SeekStart) // of the error that is returned the caller knows enough
	}
	return j.wrap(err)
}

func (j *Journal) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("journal: %s: %w", j.Path(), err)
	}
	return nil
}

// Len is the number of trials that the journal holds.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines
}

// Close brings everything to the disk. A journal without trials is removed. Of a journal that is closed
// it does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	if j.lines == 0 {
		return j.remove()
	}
	err := errors.Join(j.file.Sync(), j.file.Close())
	j.file = nil
	return j.wrap(err)
}

// Remove closes the journal and removes its folder, when the report has what it held. If the folder holds files of
// somebody else it stays, with them: the error wraps [ErrForeign] and names them.
func (j *Journal) Remove() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.remove()
}

// remove takes the folder away and then gives up the lock, so that nobody opens a file that is about to go.
func (j *Journal) remove() error {
	if j.file == nil {
		return j.wrap(os.ErrClosed)
	}
	err := removeFile(j.file)
	if err == nil {
		err = removeFolder(j.dir)
	}
	j.removeFolders()
	j.file, j.lines = nil, 0
	return j.wrap(err)
}

// removeFolder removes the folder of a journal that is gone.
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

// Discard removes the journal of a folder, whatever run it belongs to and however damaged it is, and the folder too unless it
// holds files of somebody else. It is no error if there is none; it is one, that wraps [ErrBusy], if another process writes to it.
func Discard(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := lock(file); err != nil {
		return errors.Join(fmt.Errorf("journal: %s: %w", file.Name(), err), file.Close())
	}
	err = removeFile(file)
	if err == nil {
		err = removeFolder(dir)
	}
	if err != nil && !errors.Is(err, ErrForeign) {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
