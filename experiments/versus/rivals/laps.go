package rivals

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// What is timed of a filter.
const (
	add         = iota            // the whole fill
	last                          // from 18/19 of the keys on: of a table of slots, from load 0.90 to 0.95
	find                          // lookups one by one, of which a share of shares is for present keys
	batch       = find + 5        // those of 0 and 100%, so many at a time
	remove      = batch + 2       // deletes one by one
	removeBatch = remove + 1      // and so many at a time
	verbs       = removeBatch + 1 // how many there are
)

// shares are the shares of present keys among the probes, in hundredths.
var shares = [batch - find]int{0, 25, 50, 75, 100}

// names are what the columns of laps, tables, and lines of benchmarks call what is timed.
var names = [verbs]struct{ column, title, bench string }{
	{"add", "add", "Insert"}, {"last", "last 5%", ""},
	{"find_0", "find 0%", "Contains/hit=0"}, {"find_25", "25%", "Contains/hit=0.25"},
	{"find_50", "50%", "Contains/hit=0.5"}, {"find_75", "75%", "Contains/hit=0.75"},
	{"find_100", "100%", "Contains/hit=1"},
	{"batch_0", "batch 0%", "Contains/hit=0/batch=256"}, {"batch_100", "batch 100%", "Contains/hit=1/batch=256"},
	{"remove", "remove", "Delete"}, {"remove_batch", "remove batch", "Delete/batch=256"},
}

// A Lap is what one turn of one filter counted.
type Lap struct {
	Filter, Build      string
	Slots, Round, Keys int
	Bytes              int
	Refused            int        // keys that it took before it refused one, after which nothing was measured; else 0
	Lost               int        // keys that were denied after the fill, and of those left after the deletes
	Asked, False       int        // absent keys, and those of them that were reported as present
	Probes, Deletes    int        // of each timing of lookups and deletes
	Times              [verbs]int // nanoseconds of all keys together, 0 where the filter has no such verb
}

const counted = "keys bytes refused lost asked false probes deletes"

// timed are the names of the times among the columns.
func timed() string {
	var all []string
	for _, n := range names {
		all = append(all, n.column+"_ns")
	}
	return strings.Join(all, " ")
}

// counts are the counts of a lap, in the order of their columns.
func (l *Lap) counts() []*int {
	all := []*int{&l.Keys, &l.Bytes, &l.Refused, &l.Lost, &l.Asked, &l.False, &l.Probes, &l.Deletes}
	for v := range l.Times {
		all = append(all, &l.Times[v])
	}
	return all
}

// ns is the time of one key.
func (l *Lap) ns(verb int) float64 {
	n := l.Keys
	switch {
	case verb >= remove:
		n = l.Deletes
	case verb >= find:
		n = l.Probes
	case verb == last:
		n = lastOf(l.Keys)
	}
	return float64(l.Times[verb]) / float64(max(n, 1))
}

// A Source says where laps come from: the manifest of their run. What else times depend on stands in its settings,
// under compiler, level and profile, and of kept laps under module, version, commit, bytes and remark what they are of.
type Source struct{ report.Manifest }

// buildSettings tells what this program was compiled for and by which profile, both "" where it was not recorded.
func buildSettings() (level, profile string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GO" + strings.ToUpper(runtime.GOARCH): // GOAMD64, GOARM64
			level = s.Key + "=" + s.Value
		case "-pgo":
			profile = filepath.Base(s.Value) // the folder is nobody's business
		}
	}
	return level, profile
}

// Measured is the day on which the run began.
func (s Source) Measured() string { return s.Start.Format(time.DateOnly) }

// Build tells how the filters in Go were compiled: "GOAMD64=v3 -pgo=league.prof".
func (s Source) Build() string {
	build := s.Settings["level"]
	if profile := s.Settings["profile"]; profile != "" {
		build += " -pgo=" + profile
	}
	return strings.TrimSpace(build)
}

// Where tells on what the laps were taken: the machine, with the version of Go, and how the program was compiled.
func (s Source) Where() string { return strings.TrimSuffix(s.Machine.String()+", "+s.Build(), ", ") }

// Command is the command line that makes the league of such a source with these arguments.
func (s Source) Command(args string) string {
	command := "go run ./league " + args
	if profile := s.Settings["profile"]; profile != "" {
		command = "go run -pgo=" + profile + " ./league " + args
	}
	return strings.TrimSpace(s.Settings["level"] + " " + command)
}

// Laps are the laps of one run.
type Laps struct {
	Source Source
	All    []Lap
	Note   string // for the reader, or ""
}

// read takes the laps of a table. The error has the file and its line.
func (l *Laps) read(file string, t report.Table) error {
	want := strings.Fields("series slots build trial seed " + counted + " " + timed())
	if len(t.Columns) < len(want) || !slices.Equal(t.Columns[:len(want)], want) {
		return fmt.Errorf("rivals: %s: want the columns %s", file, strings.Join(want, ","))
	}
	for i, row := range t.Rows {
		lap := Lap{Filter: row[0], Build: row[2]}
		texts := slices.Concat(row[1:2], row[3:4], row[5:]) // the seed tells nothing
		for j, n := range append([]*int{&lap.Slots, &lap.Round}, lap.counts()...) {
			var err error
			if *n, err = strconv.Atoi(texts[j]); err != nil || *n < 0 {
				return fmt.Errorf("rivals: %s:%d: %q is no number of something", file, t.Line(i), texts[j])
			}
		}
		l.All = append(l.All, lap)
	}
	return nil
}

// journal is the name of the table of laps in the folder of a run.
const journal = "league"

// load takes the laps of a journal, those of one build.
func (l *Laps) load(raw *lab.Raw, name, build string) error {
	err := l.read(name, raw.Tables[journal])
	l.All = slices.DeleteFunc(l.All, func(lap Lap) bool { return lap.Build != build })
	return err
}

// keptFiles are the laps of modules that go.mod does not have, a journal for each module.
//
//go:embed kept
var keptFiles embed.FS

// Kept returns the kept laps, a module each.
func Kept() ([]*Laps, error) { return kept(keptFiles) }

func kept(files fs.FS) (all []*Laps, err error) {
	names, err := fs.Glob(files, "kept/*")
	for _, name := range names {
		l := new(Laps)
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		raw, err := lab.ParseJournal(name, data)
		if err != nil {
			return nil, err
		}
		l.Source = Source{*raw.Manifest}
		if s := l.Source.Settings; s["module"] == "" || s["version"] == "" || len(s["commit"]) != 40 {
			return nil, fmt.Errorf("rivals: %s: want a module, its version and the 40 digits of its commit", name)
		}
		if err := l.load(raw, name, ""); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, err
}
