package rivals

import (
	"cmp"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

var update = flag.Bool("update", false, "write testdata anew")

// sample is a league of two sizes with what there can be: ratios to the twin, a static filter, one that refuses, one
// that loses keys, one that is kept.
func sample(t *testing.T) *Result {
	r := &Result{Source: report.Manifest{Seeds: []uint64{1}, Start: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		Machine:  report.Machine{CPU: "a machine", Cores: 1, GOOS: "linux", GOARCH: "amd64", Go: "go1.26"},
		Settings: map[string]string{"compiler": "c++ 12, -O3", "level": "GOAMD64=v3"}}}
	peer := Contender{Name: "peer cuckoo", Group: Peer, Bytes: true, Kept: "v1.2.3, 2026-11-22, another machine"}
	var first *lap
	for _, slots := range []int{1 << 16, 1 << 20} {
		for round := range 6 {
			put := func(filter string, bytes int, ns float64, change func(lap)) {
				ns *= 1 + float64(round)/10
				keys := KeysOf(slots)
				l := lap{"slots": slots, "keys": keys, "bytes": keys * bytes / 16, "asked": 1 << 20, "false": 1950,
					"probes": probeCount(keys), "deletes": keys / 4}
				set(l, map[int]float64{add: 5 * ns, last: 20 * ns, find: ns, find + 1: ns, find + 2: 2 * ns, find + 3: ns, find + 4: ns, again: 1.21 * ns})
				if change != nil {
					change(l)
				}
				r.row(must.Get(Choose(filter))(t)[0], l).add(l)
				first = cmp.Or(first, &l)
			}
			put("nest cuckoo-xor", 25, 4.5, func(l lap) { set(l, map[int]float64{batch: 2.5, batch + 1: 2.6, remove: 7, removeBatch: 2}) })
			put("nest split-block-bloom", 21, 3, func(l lap) { l["false"] = 9800; set(l, map[int]float64{batch: 2, batch + 1: 2}) })
			put("native cuckoo12", 25, 3, func(l lap) { set(l, map[int]float64{remove: 8}) })
			put("native cuckoo12-mix64", 25, 4, func(l lap) { set(l, map[int]float64{batch: 1.5, batch + 1: 1.5}) })
			put("native split-block", 21, 1.5, func(l lap) { l["false"] = 9800 })
			put("xorfilter binary-fuse-8", 18, 4, func(l lap) { untimed(l, last, find); l["false"] = 4096 })
			put("seiflotfy cuckoo", 17, 20, func(l lap) { l["lost"], l["false"] = 2, 30000 })
			put("bits-and-blooms bloom 1%", 19, 50, func(l lap) { l["false"] = 0 })
			put("BoomFilters bloom 1%", 19, 60, func(l lap) { l["refused"] = 99 })
		}
	}
	r.row(peer, *first).add(*first)
	r.Laps.Columns = []string{"series", "slots"}
	for _, row := range r.Rows {
		r.Laps.Add(row.Name, strconv.Itoa(row.Slots))
	}
	r.sort()
	return r
}

// set gives a lap times of nanoseconds per key, untimed takes those from one to before another.
func set(l lap, ns map[int]float64) {
	for verb, v := range ns {
		l[timed[verb].column] = 1
		l[timed[verb].column] = int(math.Round(v / l.ns(verb)))
	}
}

func untimed(l lap, from, to int) {
	for _, t := range timed[from:to] {
		delete(l, t.column)
	}
}

// The tables and the page are those of testdata: go test ./rivals -run Tables -update. The charts stand where the page
// says.
func TestResult_Tables(t *testing.T) {
	r, dir := sample(t), t.TempDir()
	must.Do(t, r.WritePage(dir, "--out DIR"))
	page := string(must.Get(os.ReadFile(filepath.Join(dir, "LEAGUE.md")))(t))
	for name, got := range map[string]string{"league.txt": r.Text(0), "LEAGUE.md": page} {
		file := filepath.Join("testdata", name)
		if *update {
			must.Do(t, os.WriteFile(file, []byte(got), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || got != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s%v", name, got, want, err)
		}
	}
	if said := strings.Join(r.summary(), " "); !strings.Contains(said, "seiflotfy cuckoo lost 12 keys of 65536 slots.") {
		t.Error(said)
	}
	for _, name := range []string{"league-integers.svg", "league-bytes.svg", "league.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil || !strings.Contains(page, "("+name+")") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.WritePage(filepath.Join(dir, "LEAGUE.md"), ""); err == nil {
		t.Error("a file for a directory is no error")
	}
}

// What is said of a duel is what its interval bears, against the faster rival of each column.
func TestResult_SentencesAreTrue(t *testing.T) {
	r := sample(t)
	for _, c := range []struct {
		faster float64 // the batches of ours at the larger size
		want   string
	}{
		{1, "A batch by nest cuckoo-xor takes 1.7 times as long as by " + fastestNative + ": behind at every size."},
		{2, "A batch by nest cuckoo-xor takes 1.7 / 0.85 times as long as by " + fastestNative +
			": ahead at 996147 keys, behind at 62259 keys."},
	} {
		for i := range 2 {
			for round := range r.named("nest cuckoo-xor", 1<<20).Times[batch+i] {
				r.named("nest cuckoo-xor", 1<<20).Times[batch+i][round] /= c.faster
			}
		}
		said := strings.Join(r.summary(), "\n")
		if !strings.Contains(said, c.want) || !strings.Contains(said, "A lookup by nest cuckoo-xor takes 1.5 times as long") {
			t.Errorf("want %s in\n%s", c.want, said)
		}
	}
	for _, slots := range r.Sizes() {
		row := r.named("nest cuckoo-xor", slots)
		row.Times[add] = row.Times[add][:certainRounds-1]
	}
	if said := new(Result).summary(); len(said) != 2 || !strings.HasSuffix(said[1], "this is a trial.") {
		t.Errorf("of nothing: %q", said)
	}
	if said := r.sentences(duels[0]); !strings.HasSuffix(said[0], ": no difference is certain.") {
		t.Errorf("of few rounds: %q", said)
	}
}

// The frontier has the filters of the run that none beats.
func TestFigure_FrontierIsOfThisMachine(t *testing.T) {
	r := sample(t)
	f := r.figure(parts[0], 1<<16)
	must.Do(t, f.Check())
	want := "On the frontier, where no other filter is both smaller and faster: split-block (2.2 ns, 56%), cuckoo12"
	if !strings.Contains(f.Caption, want) || !strings.Contains(f.Caption, " Among the filters in Go that take keys after they are built: split-block-bloom") {
		t.Errorf("caption %q lacks %q", f.Caption, want)
	}
	f = r.figure(parts[1], 1<<16)
	if strings.Contains(f.Caption, "Among") {
		t.Errorf("caption %q", f.Caption)
	}
	names := map[string]int{}
	for _, note := range f.Panels[0].Notes {
		names[note.Text]++
	}
	// A filter without a false positive or that refused keys has no place.
	for name, want := range map[string]int{"seiflotfy cuckoo": 1, "cuckoo12": 0, "peer cuckoo": 0, "bits-and-blooms bloom 1%": 0, "BoomFilters bloom 1%": 0} {
		if names[name] != want {
			t.Errorf("%q is drawn %d times, want %d", name, names[name], want)
		}
	}
	if r.figure(parts[0], 1<<18) != nil {
		t.Error("a figure of a size that is not there")
	}
}
