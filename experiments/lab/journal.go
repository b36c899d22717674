package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// Errors of a run under way that cannot be gone on with, for errors.Is. Each is wrapped with what is wrong, and where.
var (
	// ErrOther says that the trials belong to another run: of another profile, seed, experiment, or columns or revision
	// of one, or of another machine although trials were timed.
	ErrOther = errors.New("belongs to another run")
	// ErrCorrupt says that a line is not as it was written.
	ErrCorrupt = errors.New("corrupt line")
	// ErrBusy says that another process writes to the journal now.
	ErrBusy = errors.New("in use by another process")
)

// syncEvery bounds how much of the work a power failure can cost. Asking the disk after every trial would cost more
// than the shortest trials do.
const syncEvery = 2 * time.Second

// A Journal is the file of a run under way, open for appending, so that another sitting can go on where one was ended,
// by an interrupt or a power failure. Its methods may be called from several goroutines.
//
// Each of its lines is a CRC-32 (IEEE) in 8 hexadecimal digits, a space and an entry in JSON. The first entry has the
// run's manifest; the others name an experiment and have its columns, once, or the rows of a trial that has ended. A
// last line without its end was being written when the program died and is dropped; any other damage is an error with
// its line.
type Journal struct {
	written
	path string
	now  report.Manifest
	made []string // folders that were missing, the deepest first

	mu     sync.Mutex
	file   *os.File
	synced time.Time
}

// An entry is a line of a journal.
type entry struct {
	Manifest   *report.Manifest `json:"manifest,omitempty"`
	Experiment string           `json:"experiment,omitempty"`
	Columns    []string         `json:"columns,omitempty"`
	Revision   int              `json:"revision,omitempty"`
	Rows       [][]string       `json:"rows,omitempty"`
	Took       time.Duration    `json:"took_ns,omitempty"`
}

// begins is how the first line does.
var begins = regexp.MustCompile(`^[0-9a-f]{8} \{"manifest":`)

// A written is what a journal holds.
type written struct {
	first  *report.Manifest // of the first sitting; nil if there is no whole line
	tables map[string]*keptTable
	size   int64 // of the whole lines, in bytes
	trials int
}

// A keptTable has the trials of an experiment in the order in which they ended, and one more column: the time of a
// trial, in its last row.
type keptTable struct {
	report.Table
	revision int
}

// tookColumn is that of the times.
const tookColumn = "took_ns"

// parse reads the lines of a journal.
func parse(path string, data []byte) (w written, err error) {
	w.tables = map[string]*keptTable{}
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return w, nil
		}
		sum, text, _ := bytes.Cut(line, []byte(" "))
		var e entry
		if want := fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)); string(sum) != want {
			err = fmt.Errorf("its checksum is %.8q, not %s", sum, want)
		} else if err = json.Unmarshal(text, &e); err == nil {
			err = w.add(e, n)
		}
		if err != nil {
			return w, fmt.Errorf("experiments: %s:%d: %w: %w", path, n, ErrCorrupt, err)
		}
		w.size += int64(len(line) + 1)
		data = rest
	}
}

// add takes the entry of a line.
func (w *written) add(e entry, line int) error {
	t := w.tables[e.Experiment]
	switch {
	case e.Manifest != nil && line == 1 && len(e.Manifest.Seeds) == 1:
		w.first = e.Manifest
	case w.first == nil || t == nil && e.Columns == nil:
		return errors.New("it is of no journal of a run, or stands before what it needs")
	case e.Columns != nil:
		w.tables[e.Experiment] = &keptTable{report.Table{Columns: append(e.Columns, tookColumn)}, e.Revision}
	default:
		w.trials++
		for i, row := range e.Rows {
			took := ""
			if i == len(e.Rows)-1 {
				took = strconv.FormatInt(int64(e.Took), 10)
			}
			if row = append(row, took); len(row) != len(t.Columns) {
				return fmt.Errorf("%d cells for %d columns", len(row), len(t.Columns))
			}
			t.AddLine(line, row)
		}
	}
	return nil
}

// OpenJournal opens the journal of a run under way, or begins one, for Options.Store. Missing folders are made. It
// reads all trials and costs memory for them, some 300 bytes each. While it is open no other process can open it. An
// error wraps [ErrOther] for a run of another profile or seed, with what differs, [ErrCorrupt] with file and line, or
// [ErrBusy]; the file is then as it was.
func OpenJournal(path string, o Options) (*Journal, error) {
	o = o.withDefaults()
	return openJournal(path, report.Manifest{
		Kind: reportKind, Argv: os.Args, Module: report.ThisModule(), Machine: report.ThisMachine(),
		Profile: string(o.Profile), Seeds: []uint64{o.Seed}, Settings: o.settings(), Start: time.Now().UTC(),
	})
}

func openJournal(path string, m report.Manifest) (*Journal, error) {
	j := &Journal{path: path, now: m, synced: time.Now()}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		j.made = append(j.made, dir)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	if err := j.open(); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

// open reads the file, and begins it if there is nothing in it.
func (j *Journal) open() error {
	err := lock(j.file)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(j.file)
	}
	if err != nil {
		return j.wrap(err)
	}
	if j.written, err = parse(j.path, data); err != nil {
		return err
	}
	switch was, is := j.first, &j.now; {
	case was == nil && len(data) > 0 && !begins.Match(data):
		return j.wrap(fmt.Errorf("%w: it is no journal of a run", ErrCorrupt))
	case was == nil:
		j.first = is
	case was.Profile != is.Profile:
		return j.other("it is of profile %s, this run of %s", was.Profile, is.Profile)
	case was.Seeds[0] != is.Seeds[0]:
		return j.other("it is of seed %d, this run of %d", was.Seeds[0], is.Seeds[0])
	}
	if err := j.cut(); err != nil || j.size > 0 {
		return j.wrap(err)
	}
	return j.write(entry{Manifest: j.first})
}

// cut drops what stands behind the whole lines.
func (j *Journal) cut() error {
	err := j.file.Truncate(j.size)
	if err == nil {
		_, err = j.file.Seek(j.size, io.SeekStart)
	}
	return err
}

// write appends a line in one call. What a full disk has taken of it is cut off: the next would stand behind it.
func (j *Journal) write(e entry) error {
	text, err := json.Marshal(e)
	if err == nil {
		text = fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(text), text)
		_, err = j.file.Write(text)
	}
	if err != nil {
		return j.wrap(errors.Join(err, j.cut()))
	}
	j.size += int64(len(text))
	return nil
}

// begin says what this run is going to append, and returns what earlier sittings have counted. Every experiment of
// theirs must be among these, with the same columns and revision; one may be new.
func (j *Journal) begin(all []*Experiment) (map[string]report.Table, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	timed := slices.ContainsFunc(all, func(e *Experiment) bool { return len(e.timed()) > 0 })
	if was, is := machineOf(*j.first), machineOf(j.now); timed && was != is {
		return nil, j.other("it was begun on the machine %q, this is %q, and trials are timed", was, is)
	}
	for name, t := range j.tables {
		if len(t.Rows) > 0 && !slices.ContainsFunc(all, func(e *Experiment) bool { return e.Name == name }) {
			return nil, j.other("it has %s, which this run leaves out", name)
		}
	}
	kept := map[string]report.Table{}
	for _, e := range all {
		columns := e.table().Columns
		if t := j.tables[e.Name]; t == nil {
			header := entry{Experiment: e.Name, Columns: columns, Revision: e.Revision}
			if err := errors.Join(j.write(header), j.add(header, 0)); err != nil {
				return nil, err
			}
		} else if was := t.Columns[:len(t.Columns)-1]; t.revision != e.Revision || !slices.Equal(was, columns) {
			return nil, j.other("its columns of %s are %s, of revision %d, this run's %s, of %d", e.Name,
				strings.Join(was, ","), t.revision, strings.Join(columns, ","), e.Revision)
		} else {
			kept[e.Name] = t.Table
		}
	}
	return kept, nil
}

// machineOf is that of a manifest as far as times depend on it: the memory of a virtual machine varies.
func machineOf(m report.Manifest) string {
	m.Machine.MemoryBytes = 0
	return m.Machine.String()
}

// append keeps the rows of a trial of an experiment that begin has been told of. They survive the end of the program
// from now on, and a power failure from two seconds on, if other trials follow.
func (j *Journal) append(experiment string, rows [][]string, took time.Duration) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(entry{Experiment: experiment, Rows: rows, Took: took}); err != nil {
		return err
	}
	j.trials++
	if time.Since(j.synced) < syncEvery {
		return nil
	}
	j.synced = time.Now()
	return j.wrap(j.file.Sync())
}

// other is an error about the journal of another run.
func (j *Journal) other(format string, args ...any) error {
	return fmt.Errorf("experiments: %s: %w: "+format, append([]any{j.path, ErrOther}, args...)...)
}

func (j *Journal) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("experiments: %s: %w", j.path, err)
	}
	return nil
}

// Began is when the first sitting of the run did.
func (j *Journal) Began() time.Time { return j.first.Start }

// Path is the name of the file.
func (j *Journal) Path() string { return j.path }

// Len is the number of trials that the file holds.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trials
}

// Close brings everything to the disk. A journal without trials is removed. Of one that is closed it does nothing.
func (j *Journal) Close() error {
	if j.Len() == 0 {
		return j.Remove()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.file.Sync(), j.file.Close())
	j.file = nil
	return j.wrap(err)
}

// Remove closes the journal and removes its file, when the report has what it held. Once closed, it does nothing.
func (j *Journal) Remove() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := os.Remove(j.path) // while it is locked, so that nobody goes on with it
	closed := j.file.Close()
	if err != nil { // some systems remove no open file
		err = os.Remove(j.path)
	}
	for _, dir := range j.made {
		_ = os.Remove(dir) // not empty: the report is there, or another program's files
	}
	j.file, j.trials = nil, 0
	return j.wrap(errors.Join(err, closed))
}

// DiscardJournal removes a journal, whatever run it belongs to and however damaged it is behind its beginning. It is no
// error if there is none; it is one, that wraps [ErrBusy], if another process writes to it, and one if the file is
// somebody else's.
func DiscardJournal(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	j := &Journal{path: path, file: file}
	data := make([]byte, 32)
	n, _ := file.Read(data) // an empty one was just begun
	if err = lock(file); err == nil && n > 0 && !begins.Match(data[:n]) {
		err = errors.New("it is no journal of a run and stays")
	}
	if err != nil {
		return errors.Join(j.wrap(err), file.Close())
	}
	return j.Remove()
}
