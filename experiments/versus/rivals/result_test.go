package rivals

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nestfilter/nest/experiments/report"
)

var update = flag.Bool("update", false, "write testdata anew")

// sample is a league of two sizes with what there can be: ratios to the twin, a static filter, one that refuses, one that loses keys.
func sample() *Laps {
	l := &Laps{Source: Source{Seed: 1, Machine: "a machine", Go: "go1.26 linux/amd64", Compiler: "c++ 12, -O3", Level: "GOAMD64=v3", Profile: "league.prof", Measured: "2026-11-23"}}
	for _, slots := range []int{1 << 16, 1 << 20} {
		for round := range 3 {
			add := func(filter string, bytes int, ns float64, change func(*Lap)) {
				ns *= 1 + float64(round)/10
				keys := KeysOf(slots)
				lap := Lap{Filter: filter, Slots: slots, Round: round, Keys: keys, Bytes: keys * bytes / 16, Add: 5 * ns, Last: 20 * ns,
					Find: [5]float64{ns, ns, 2 * ns, ns, ns}, Asked: 1 << 20, False: 1950}
				if change != nil {
					change(&lap)
				}
				l.All = append(l.All, lap)
			}
			add("nest cuckoo-xor", 25, 4.5, func(l *Lap) { l.Batch, l.Remove, l.RemoveBatch = &[2]float64{2.5, 2.6}, 7, 2 })
			add("nest split-block-bloom", 21, 3, func(l *Lap) { l.Batch, l.False = &[2]float64{2, 2}, 9800 })
			add("nest cuckoo-xor built on 2 cores", 25, 2, func(l *Lap) { l.Last, l.Find = 0, [5]float64{} })
			add("native cuckoo12", 25, 3, func(l *Lap) { l.Remove = 8 })
			add("native split-block", 21, 1.5, func(l *Lap) { l.False = 9800 })
			add("xorfilter binary-fuse-8", 18, 4, func(l *Lap) { l.Last, l.False = 0, 4096 })
			add("seiflotfy cuckoo", 17, 20, func(l *Lap) { l.Lost, l.False = 2, 30000 })
			add("BoomFilters cuckoo 1%", 17000, 800, nil)
			add("BoomFilters bloom 1%", 19, 60, func(l *Lap) { *l = Lap{Filter: l.Filter, Slots: l.Slots, Round: l.Round, Keys: l.Keys, Refused: 99} })
			add("bits-and-blooms bloom 1%", 19, 50, func(l *Lap) { l.False = 0 })
		}
	}
	return l
}

// keptSample is a module that is kept.
func keptSample() []*Laps {
	l := &Laps{Source: Source{Seed: 1, Machine: "a machine", Go: "go1.26", Measured: "2026-11-22", Module: "example.com/peer/cuckoo",
		Version: "v1.2.3", Commit: strings.Repeat("a", 40), Bytes: true, Remark: "of another day"}}
	lap := sample().All[0]
	lap.Filter = "peer cuckoo"
	other := lap
	other.Slots, other.Keys = 1<<18, KeysOf(1<<18) // a size that the run does not have
	l.All = []Lap{lap, other}
	return []*Laps{l}
}

func sampleResult(t *testing.T) *Result {
	t.Helper()
	foreign, err := ReadFastFilter("sample", strings.NewReader(fastfilterText))
	if err != nil {
		t.Fatal(err)
	}
	r := NewResult(sample(), keptSample(), foreign, map[string]string{xorModule: "v0.4.2"})
	r.Complete = true
	return r
}

// The tables are those of testdata: go test ./rivals -run Tables -update.
func TestResult_Tables(t *testing.T) {
	r := sampleResult(t)
	texts := map[string]string{"league.txt": r.Text(0)}
	for _, s := range r.Report().Sections {
		csv, err := s.Table.CSV()
		if err != nil {
			t.Fatal(err)
		}
		texts[s.ID+".csv"] = string(csv)
	}
	for name, got := range texts {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	files, err := os.ReadDir("testdata")
	if err != nil || len(files) != len(texts)+1 { // and the page
		t.Errorf("%d files in testdata, %d tables, %v", len(files), len(texts), err)
	}
}

// The page is that of testdata, and its charts stand where it says.
func TestResult_Page(t *testing.T) {
	dir := t.TempDir()
	if err := sampleResult(t).WritePage(dir, "--out DIR"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "LEAGUE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/LEAGUE.md", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/LEAGUE.md")
	if err != nil || string(got) != string(want) {
		t.Errorf("the page is\n%s\nwant\n%s%v", got, want, err)
	}
	for _, name := range []string{"images/league-65536.svg", "images/league-1048576.svg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil || !strings.Contains(string(got), "("+name+")") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := sampleResult(t).WritePage(filepath.Join(dir, "LEAGUE.md"), ""); err == nil {
		t.Error("a file for a directory is no error")
	}
}

// The report is written in all formats, and says what is missing.
func TestResult_ReportIsWritten(t *testing.T) {
	r := sampleResult(t)
	r.Complete, r.Notes = false, []string{"No twin."}
	for _, want := range []string{"seiflotfy cuckoo lost 6 keys of 65536 slots", "not complete", "No twin."} {
		if !strings.Contains(r.summary(), want) {
			t.Errorf("%q lacks %q", r.summary(), want)
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	w, err := report.Create(dir, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(r.Report(), []string{"svg"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.md", "league-65536.csv", "league-65536.tex", "league-1048576.svg", "native.csv", "fastfilter.csv", "bench.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// The frontier has the filters of this machine that none beats, whatever another machine had; a filter far above the bound is named and
// not drawn.
func TestFigure_FrontierIsOfThisMachine(t *testing.T) {
	r := sampleResult(t)
	f := r.Figure(1 << 16)
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"On the frontier, where no other filter is both smaller and faster: split-block (2.0 ns, 56%), cuckoo12 (4.0 ns, 38%), " +
		"xorfilter binary-fuse-8 (5.3 ns, 12%). Among the filters in Go that take keys after they are built: split-block-bloom", "Not drawn: BoomFilters cuckoo 1%"} {
		if !strings.Contains(f.Caption, want) {
			t.Errorf("caption %q lacks %q", f.Caption, want)
		}
	}
	names := map[string]int{}
	for _, note := range f.Panels[0].Notes {
		names[note.Text]++
	}
	// A filter without a false positive or that refused keys has no place.
	for name, want := range map[string]int{"cuckoo-xor": 1, "cuckoo12": 1, "Xor8": 1, "peer cuckoo": 1, "bits-and-blooms bloom 1%": 0, "BoomFilters bloom 1%": 0} {
		if names[name] != want {
			t.Errorf("%q is drawn %d times, want %d", name, names[name], want)
		}
	}
	if r.Figure(1<<18) != nil {
		t.Error("a figure of a size that is not there")
	}
}

func TestKept_FilesAreOfModulesThatAreNotRequired(t *testing.T) {
	all, err := Kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, c := range Contenders() {
			if c.Module == l.Source.Module {
				t.Errorf("%s is required in go.mod, and its laps are kept", c.Module)
			}
		}
		if len(l.All) == 0 {
			t.Errorf("%s has no laps", l.Source.Module)
		}
	}
	for name, text := range map[string]string{
		"no module": `{"seed":1,"machine":"m","go":"go1.26","measured":"2026-11-23"}` + "\n",
		"no laps":   "x\n",
	} {
		if _, err := kept(fstest.MapFS{"kept/bad.jsonl": {Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), "bad.jsonl") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fastfilterText is as that program prints: progress before a carriage return, counters, a title, rows.
const fastfilterText = "./bulk-insert-and-query.exe 10000000\n" +
	"                                                    find    find    find    find    find  1*add+                       optimal  wasted million\n" +
	"                                     add  remove      0%     25%     50%     75%    100%  3*find      ε%  bits/item  bits/item  space%    keys\n\n" +
	"add    cycles: 351.3/key, instructions: (332.4/key, 0.95/cycle) cache misses: 13.99/key branch misses: 1.23/key\n" +
	"0.25%  cycles:  87.8/key, instructions: ( 48.0/key, 0.55/cycle) cache misses:  2.89/key branch misses: 0.00/key\n" +
	"1-by-1 add\r             \r                            Xor8  106.59    0.00   23.85   23.85   23.85   23.88   23.83  178.15  0.3908       9.84       8.00    23.0  10.000\n" +
	"                 Cuckoo 12 (any)   56.00   32.00   12.00   12.00   12.00   12.00   12.00   92.00  0.1850      12.63       9.08    39.1   1.000\n" +
	"                            Sort   90.00    0.00   50.00   50.00   50.00   50.00   50.00  240.00  0.0000      64.00      64.00     0.0   1.000\n"

func TestReadFastFilter_ReadsItsRows(t *testing.T) {
	rows, err := ReadFastFilter("x", strings.NewReader(fastfilterText))
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	if f := rows[0]; f.Name != "Xor8" || f.Add != 106.59 || f.Find[4] != 23.83 || f.Keys != 10_000_000 || math.Abs(f.Rate-0.003908) > 1e-9 || math.Abs(f.Overhead-0.23) > 0.001 {
		t.Errorf("%+v", f)
	}
	if f := rows[1]; f.Name != "Cuckoo 12 (any)" || f.Remove != 32 || f.Mean() != 12 {
		t.Errorf("%+v", f)
	}
	if !math.IsNaN(rows[2].Overhead) {
		t.Errorf("%+v: a rate of 0 has no bound", rows[2])
	}
}

func TestReadFastFilter_NamesWhatIsDamaged(t *testing.T) {
	lines := strings.SplitAfter(fastfilterText, "\n")
	row := lines[6][strings.LastIndex(lines[6], "\r")+1:]
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "no row of a filter"},
		"titles only":    {lines[1] + lines[2], "no row"},
		"cut short":      {lines[1] + row[:100] + "\n", "x:2"},
		"a column less":  {strings.Replace(row, "0.3908", "", 1), "want a name and 13 numbers"},
		"shifted":        {strings.Replace(row, "0.3908", "3.908", 1), "shifted or damaged"},
		"letters":        {strings.Replace(row, "23.88", "23.8x", 1), `"23.8x" is no number`},
		"not a number":   {strings.Replace(row, "23.88", "NaN", 1), `"NaN" is no number`},
		"no time":        {strings.Replace(row, "23.88", "0.00", 1), "want more than 0"},
		"negative":       {strings.Replace(row, "106.59", "-1", 1), "want more than 0"},
		"no keys":        {strings.Replace(row, "10.000", "0.000", 1), "0 keys"},
		"rate":           {strings.Replace(row, "0.3908", "100.0", 1), "rate 1"},
		"something else": {"hello\n" + row, "x:1"},
		"long line":      {strings.Repeat("x", 1<<17), "too long"},
	} {
		if _, err := ReadFastFilter("x", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
