package rivals

import (
	"embed"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus/native"
)

// What is timed of a filter.
const (
	add         = iota            // the whole fill
	last                          // from 18/19 of the keys on: of a table of slots, from load 0.90 to 0.95
	find                          // lookups one by one, of which a share of shares is for present keys
	batch       = find + 5        // those of 0 and 100%, so many at a time
	remove      = batch + 2       // deletes one by one
	removeBatch = remove + 1      // and so many at a time
	again       = removeBatch + 1 // the lookups one by one once more, by other probes: all mixtures in one sum
	verbs       = again + 1       // how many there are
)

// shares are the shares of present keys among the probes, in hundredths.
var shares = [batch - find]int{0, 25, 50, 75, 100}

// timed are what the columns of laps call what is timed, and of which count it is the time: nanoseconds of all keys
// together, 0 where the filter has no such verb.
var timed = [verbs]struct{ column, of string }{
	{"add_ns", "keys"}, {"last_ns", "keys"}, {"find_0_ns", "probes"}, {"find_25_ns", "probes"}, {"find_50_ns", "probes"},
	{"find_75_ns", "probes"}, {"find_100_ns", "probes"}, {"batch_0_ns", "probes"}, {"batch_100_ns", "probes"},
	{"remove_ns", "deletes"}, {"remove_batch_ns", "deletes"}, {"again_ns", "probes"},
}

// A lap is what one turn of one filter counted, by column: the keys that it got, the bytes of its table; how many keys
// it had taken when it refused one, after which nothing was measured, else 0; how many keys were denied after the
// fill, and of those left after the deletes; absent keys, and those of them that were reported as present; the probes
// and deletes of each timing; and the times.
type lap map[string]int

const counted = "keys bytes refused lost asked false probes deletes"

// took notes a time.
func (l lap) took(verb int, s measure.Lap) { l[timed[verb].column] = int(s.Time) }

// ns is the time of one key.
func (l lap) ns(verb int) float64 {
	n := l[timed[verb].of]
	switch verb {
	case last:
		n = lastOf(n)
	case again:
		n *= len(shares)
	}
	return float64(l[timed[verb].column]) / float64(max(n, 1))
}

// source describes the run: when, where, and what else times depend on, the compilers, under compiler and level.
func (o *Options) source(twin *native.Twin) report.Manifest {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) { // GOAMD64, GOARM64
				settings["level"] = s.Key + "=" + s.Value
			}
		}
	}
	if twin != nil {
		settings["compiler"] = twin.Compiler + ", " + native.Flags
	}
	return report.Manifest{Machine: report.ThisMachine(), Seeds: []uint64{o.Seed}, Start: time.Now().UTC(),
		Settings: settings}
}

// keptFiles are the laps of modules that go.mod does not have, a journal for each module.
//
//go:embed kept
var keptFiles embed.FS

// keep adds the kept laps of the sizes that the league has.
func (r *Result) keep(files fs.FS) error {
	names, err := fs.Glob(files, "kept/*")
	sizes := r.Sizes()
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		raw, err := lab.ParseJournal(name, data)
		if err != nil {
			return err
		}
		s := raw.Manifest.Settings
		kept := s["version"] + ", " + raw.Manifest.Start.Format(time.DateOnly) + ", " + raw.Manifest.Machine.String()
		err = eachLap(name, raw.Tables[journal], func(filter string, l lap) {
			if slices.Contains(sizes, l["slots"]) {
				r.row(Contender{
					Name: filter, Group: Peer, Module: s["module"], Bytes: s["bytes"] != "", Kept: kept, Remark: s["remark"],
				}, l).add(l)
			}
		})
		if err != nil {
			return err
		}
	}
	return err
}

// eachLap reads the laps of a table. The error has the file and its line.
func eachLap(file string, t report.Table, do func(filter string, l lap)) error {
	for i, row := range t.Rows {
		l := lap{}
		for j, column := range t.Columns {
			if strings.Contains("series build trial seed", column) {
				continue
			}
			n, err := strconv.Atoi(row[j])
			if err != nil || n < 0 {
				return fmt.Errorf("rivals: %s:%d: %q is no number of something", file, t.Line(i), row[j])
			}
			l[column] = n
		}
		do(row[0], l)
	}
	return nil
}
