package rivals

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
)

// Shares are the shares of present keys among the probes, in hundredths.
var Shares = [5]int{0, 25, 50, 75, 100}

// A Lap is what one turn of one filter was measured to take, in nanoseconds per key.
type Lap struct {
	Filter string `json:"filter"`
	Slots  int    `json:"slots"`
	Round  int    `json:"round"`
	Keys   int    `json:"keys"`
	Bytes  int    `json:"bytes"`
	// Add is the mean over the whole fill, Last that from 18/19 of the keys on: of a table of slots, from load 0.90 to 0.95. Last is 0 for
	// static filters.
	Add  float64 `json:"add"`
	Last float64 `json:"last,omitempty"`
	// Find is for each of Shares, one by one, all 0 where lookups were not timed; Batch for 0 and 100, in batches of 256, where the
	// filter has them.
	Find  [5]float64  `json:"find,omitzero"`
	Batch *[2]float64 `json:"batch,omitempty"`
	// Remove is one by one, RemoveBatch in batches of 256, where the filter can.
	Remove      float64 `json:"remove,omitempty"`
	RemoveBatch float64 `json:"remove_batch,omitempty"`
	// Lost counts keys that were denied: of all after the fill, and of those that were left after the deletes.
	Lost int `json:"lost"`
	// False counts the absent keys among Asked that were reported as present.
	False int `json:"false"`
	Asked int `json:"asked"`
	// Refused says how many keys the filter took before it refused one; nothing else was then measured. 0 says that it took all.
	Refused int `json:"refused,omitempty"`
}

// check says what no run measures.
func (l *Lap) check() error {
	times := []float64{l.Add}
	if l.Find != [5]float64{} {
		times = append(times, l.Find[:]...)
	}
	if l.Batch != nil {
		times = append(times, l.Batch[:]...)
	}
	switch {
	case l.Filter == "":
		return errors.New("no filter")
	case l.Slots < MinSlots || l.Slots&(l.Slots-1) != 0 || l.Keys != KeysOf(l.Slots):
		return fmt.Errorf("%d keys in %d slots: want a power of two of slots and %v of it", l.Keys, l.Slots, catalogue.FullLoad)
	case l.Round < 0:
		return fmt.Errorf("round %d", l.Round)
	case l.Refused > 0 && l.Refused < l.Keys:
		return nil
	case l.Refused != 0 || l.Bytes <= 0 || l.Last < 0 || min(l.Remove, l.RemoveBatch) < 0 || slices.Min(times) <= 0:
		return fmt.Errorf("%d bytes, times %v, %v, %v: want more than 0", l.Bytes, times, l.Last, l.Remove)
	case l.Lost < 0 || l.Lost > 2*l.Keys || l.Asked < 1 || l.False < 0 || l.False > l.Asked:
		return fmt.Errorf("%d lost, %d false of %d", l.Lost, l.False, l.Asked)
	}
	return nil
}

// A Source says where laps come from.
type Source struct {
	// Seed chooses the keys.
	Seed uint64 `json:"seed"`
	// Machine and Go are those of the run, Compiler that of the native twin, "" without.
	Machine  string `json:"machine"`
	Go       string `json:"go"`
	Compiler string `json:"compiler,omitempty"`
	// Level is the level of instructions that the filters in Go were compiled for, such as GOAMD64=v1, and Profile the name of the file
	// that guided the compiler, "" without.
	Level   string `json:"level,omitempty"`
	Profile string `json:"profile,omitempty"`
	// Measured is the day on which the run began.
	Measured string `json:"measured"`
	// Module, Version and Commit are those of kept rows, "" of a run.
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	Commit  string `json:"commit,omitempty"`
	// Bytes and Remark are those of the contenders of kept rows.
	Bytes  bool   `json:"bytes,omitempty"`
	Remark string `json:"remark,omitempty"`
}

// same says what keeps laps of another source from being those of one run, or "".
func (s Source) same(other Source) string {
	switch {
	case s.Seed != other.Seed:
		return fmt.Sprintf("seed %d", other.Seed)
	case s.Machine != other.Machine:
		return "machine " + other.Machine
	case s.Go != other.Go:
		return other.Go
	case s.Compiler != other.Compiler:
		return fmt.Sprintf("compiler %q", other.Compiler)
	case s.Level != other.Level || s.Profile != other.Profile:
		return fmt.Sprintf("a program built with %q", other.Build())
	}
	return ""
}

// Laps are the laps of one run.
type Laps struct {
	Source Source
	All    []Lap
}

// has tells whether a turn was taken.
func (l *Laps) has(filter string, slots, round int) bool {
	return slices.ContainsFunc(l.All, func(lap Lap) bool { return lap.Filter == filter && lap.Slots == slots && lap.Round == round })
}

// ReadLaps reads a file of laps: a line that says where they come from, and a line for each lap. The error has the line.
func ReadLaps(name string, data []byte) (*Laps, error) {
	l := new(Laps)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		if len(line) == 0 && i > 0 {
			continue // behind the last line
		}
		var err error
		if i == 0 {
			if err = decode(line, &l.Source); err == nil && (l.Source.Machine == "" || l.Source.Go == "" || !isDay(l.Source.Measured)) {
				err = errors.New("want the machine, the version of Go and the day")
			}
		} else {
			var lap Lap
			if err = decode(line, &lap); err == nil {
				err = lap.check()
			}
			if err == nil && l.has(lap.Filter, lap.Slots, lap.Round) {
				err = fmt.Errorf("%s, %d slots, round %d comes twice", lap.Filter, lap.Slots, lap.Round)
			}
			l.All = append(l.All, lap)
		}
		if err != nil {
			return nil, fmt.Errorf("rivals: %s:%d: %w", name, i+1, err)
		}
	}
	return l, nil
}

func isDay(day string) bool {
	_, err := time.Parse(time.DateOnly, day)
	return err == nil
}

// decode reads a line that is whole, of no unknown fields.
func decode(line []byte, into any) error {
	if !bytes.HasSuffix(line, []byte("\n")) {
		return errors.New("the line is cut short")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// A lapFile is a file of laps to which more are appended.
type lapFile struct {
	Laps
	f *os.File
}

// openLaps opens a file of laps, or makes it. The error says what is wrong with what it holds, or that it is of another run.
func openLaps(name string, source Source) (*lapFile, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("rivals: %w", err)
	}
	l := &lapFile{Laps: Laps{Source: source}, f: f}
	if err := l.load(name, source); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func (l *lapFile) load(name string, source Source) error {
	data, err := io.ReadAll(bufio.NewReader(l.f))
	if err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	if len(data) == 0 {
		return l.append(source)
	}
	earlier, err := ReadLaps(name, data)
	if err != nil {
		return err
	}
	if other := source.same(earlier.Source); other != "" {
		return fmt.Errorf("rivals: %s is of another run, with %s: name another file", name, other)
	}
	l.Laps = *earlier
	return nil
}

func (l *lapFile) append(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = l.f.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	return nil
}

// add appends a lap to the file.
func (l *lapFile) add(lap Lap) error {
	l.All = append(l.All, lap)
	return l.append(lap)
}

// keptFiles are the laps of modules that go.mod does not have, a file for each module.
//
//go:embed kept/*.jsonl
var keptFiles embed.FS

// Kept returns the kept laps, a module each.
func Kept() ([]*Laps, error) { return kept(keptFiles) }

func kept(files fs.FS) (all []*Laps, err error) {
	names, err := fs.Glob(files, "kept/*.jsonl")
	if err != nil {
		return nil, fmt.Errorf("rivals: %w", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("rivals: %w", err)
		}
		l, err := ReadLaps(path.Base(name), data)
		if err != nil {
			return nil, err
		}
		if s := l.Source; s.Module == "" || s.Version == "" || len(s.Commit) != 40 {
			return nil, fmt.Errorf("rivals: %s: want a module, its version and the 40 digits of its commit", path.Base(name))
		}
		all = append(all, l)
	}
	return all, nil
}
