package nest_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	performance = "docs/PERFORMANCE.md"
	league      = "docs/results/LEAGUE.md"
	// speedRuns has a folder for each study of nest bench whose numbers docs/PERFORMANCE.md quotes.
	speedRuns = "docs/results/speed"
	// made encloses each part of docs/PERFORMANCE.md that go test . -run Performance -update writes.
	made = "<!--made-->\n"
)

var speedFrom = flag.String("speed", "", "with -update: a folder with any of the reports kinds, xeon, noavx512, purego "+
	"and together, and of the file window.txt, to be kept")

// TestPerformance_NumbersAreOfStoredRuns holds the tables of docs/PERFORMANCE.md to the runs and the league that are
// kept.
func TestPerformance_NumbersAreOfStoredRuns(t *testing.T) {
	if *update && *speedFrom != "" {
		for _, study := range []string{"kinds", "xeon", "noavx512", "purego", "together"} {
			if dir := filepath.Join(*speedFrom, study); exists(dir) {
				keepStudy(t, dir, filepath.Join(speedRuns, study))
			}
		}
		if name := filepath.Join(*speedFrom, windowTimes); exists(name) {
			keepFile(t, name, filepath.Join(speedRuns, windowTimes))
		}
	}
	kinds, ratios, rivals := readStudy(t, "kinds", "kinds"), readStudy(t, "xeon", "kinds"), leagueRows(t)
	tables := []string{plainTimes(t, kinds), kindRatios(t, ratios), windowRatios(t), rivalRatios(t, rivals),
		byteTimes(t, rivals), batchRatios(t), throughput(t, readStudy(t, "together", "together"))}
	page, err := os.ReadFile(performance)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), made)
	if len(parts) != 2*len(tables)+1 {
		t.Fatalf("%s: %d parts, want %d between lines %q", performance, len(parts), 2*len(tables)+1, made)
	}
	for i, table := range tables {
		parts[2*i+1] = table
	}
	if want := strings.Join(parts, made); *update {
		if err := os.WriteFile(performance, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what %s and %s say: go test . -run Performance -update", performance, speedRuns, league)
	}
	batch, one := rivals["nest fuse-8"]["batch"], rivals["xorfilter binary-fuse-8"]["absent"]
	if number(t, middle(batch)) > number(t, middle(one))/2 {
		t.Errorf("a batch of fuse-8 takes %s ns a key, more than half of xorfilter's lookup, %s", batch, one)
	}
}

// A study is what is kept of a report of nest bench --study.
type study struct {
	rows   []map[string]string
	source string // the command, the day and the machine
}

// manifest is what is read of a report's.
type manifest struct {
	Argv    []string
	Machine struct{ CPU, Go string }
	Start   string
	Files   []struct{ Name, SHA256 string }
}

// isKept tells of a file of a report whether it is kept, beside the manifest.
func isKept(name string) bool { return slices.Contains([]string{".csv", ".svg"}, filepath.Ext(name)) }

// manifestOf reads the manifest of a report and compares the files that are kept with it.
func manifestOf(t *testing.T, dir string) (m manifest) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name))
		if isKept(f.Name) && (err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != f.SHA256) {
			t.Fatalf("%s: %s is not what the run wrote (%v)", dir, f.Name, err)
		}
	}
	return m
}

// keepStudy copies what is kept of a report.
func keepStudy(t *testing.T, from, to string) {
	t.Helper()
	names := []string{"manifest.json"}
	for _, f := range manifestOf(t, from).Files {
		if isKept(f.Name) {
			names = append(names, f.Name)
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		keepFile(t, filepath.Join(from, name), filepath.Join(to, name))
	}
}

// keepFile copies a file.
func keepFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// readStudy reads what is kept of a report in a folder, of the study of that name.
func readStudy(t *testing.T, folder, name string) (s study) {
	t.Helper()
	dir := filepath.Join(speedRuns, folder)
	m := manifestOf(t, dir)
	f, err := os.Open(filepath.Join(dir, name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, column := range rows[0] {
			row[column] = cells[i]
		}
		s.rows = append(s.rows, row)
	}
	rounds := len(s.values(t, s.rows[0]["n"], s.rows[0]["series"], s.rows[0]["what"], s.rows[0]["point"]))
	s.source = fmt.Sprintf("(`nest bench --study %s --rounds %d`, %.10s, %s, %s)", name, rounds, m.Start, m.Machine.CPU,
		m.Machine.Go)
	return s
}

// values are those of a series in all rounds. The point is that of goroutines, where a study has any.
func (s study) values(t *testing.T, n, series, what, point string) (all []float64) {
	t.Helper()
	for _, row := range s.rows {
		if row["n"] == n && row["series"] == series && row["what"] == what && row["point"] == point && row["value"] != "" {
			all = append(all, number(t, row["value"]))
		}
	}
	if len(all) == 0 {
		t.Fatalf("no round has %s of %s, n = %s %s", what, series, n, point)
	}
	return all
}

// over is the median over the rounds of the ratio of two series within a round.
func (s study) over(t *testing.T, n, series, base, what string) float64 {
	t.Helper()
	ratios, bases := s.values(t, n, series, what, ""), s.values(t, n, base, what, "")
	for i := range ratios {
		ratios[i] /= bases[i]
	}
	return middleOf(ratios)
}

func middleOf(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// short is a number in two digits, and all digits before the point.
func short(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// A size is a number of keys, and what the page calls it.
type size struct{ n, name string }

// sizes are those of the study of kinds; in builds with tags the first two.
var sizes = []size{{"62000", "62 thousand"}, {"1000000", "1 million"}, {"16000000", "16 million"}}

// plainTimes is the table of a plain filter, and where it is from.
func plainTimes(t *testing.T, s study) string {
	t.Helper()
	table := "| keys | lookup | lookup, 256 at once | insert | delete |\n|---|---|---|---|---|\n"
	for _, size := range sizes {
		row := "| " + size.name
		for _, what := range []string{"lookup, absent", "lookup, absent, 256 at once", "insert", "delete"} {
			row += " | " + short(middleOf(s.values(t, size.n, "plain, 12 bits, b = 4", what, "")))
		}
		table += row + " |\n"
	}
	return table + "\n" + s.source + ".\n"
}

// kindRatios is the table of every kind beside a plain one, of inserts at each size, and what differs most elsewhere.
func kindRatios(t *testing.T, s study) string {
	t.Helper()
	table := s.source + ":\n\n| kind | lookup, absent | present | absent, 256 at once | insert, by size | delete |\n" +
		"|---|---|---|---|---|---|\n"
	for i, series := range []string{"paired, 11 bits, b = 4", "paired, 11 bits, b = 8", "semi-sorted, 12 bits, b = 4",
		"plain, 12 bits, XOR", "plain, width at run time", "Concurrent, 12 bits", "Concurrent, 16 bits", "grown, 16 bits",
		"maplet, 12 bits and 4 of value"} {
		base := "plain, 12 bits, b = 4"
		if i >= 6 {
			base = "plain, 16 bits"
		}
		of := func(n, what string) string { return fmt.Sprintf("%.2f", s.over(t, n, series, base, what)) }
		one := sizes[1].n
		table += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", series, of(one, "lookup, absent"),
			of(one, "lookup, present"), of(one, "lookup, absent, 256 at once"), s.bySize(t, sizes, series, base, "insert"),
			of(one, "delete"))
	}
	return table
}

// bySize is over at each size.
func (s study) bySize(t *testing.T, sizes []size, series, base, what string) string {
	t.Helper()
	var all []string
	for _, size := range sizes {
		all = append(all, fmt.Sprintf("%.2f", s.over(t, size.n, series, base, what)))
	}
	return strings.Join(all, ", ")
}

// TestPerformance_CommentsSayRangesOfTheStoredRun holds what godoc and nest size say of the cost of two layouts to the
// ratios at a million keys, if the stored run has enough rounds.
func TestPerformance_CommentsSayRangesOfTheStoredRun(t *testing.T) {
	const batch = "lookup, absent, 256 at once"
	lookups := []string{"lookup, absent", "lookup, present"}
	fill := []string{"insert"}
	const four, eight, sorted = "paired, 11 bits, b = 4", "paired, 11 bits, b = 8", "semi-sorted, 12 bits, b = 4"
	for _, c := range []struct {
		text, run, series string
		whats             []string
		from, to          float64
	}{
		{"lookups take 1.5 to 1.8 times", "kinds", sorted, lookups, 1.5, 1.8},
		{"inserts and deletes 2 to 4 times", "kinds", sorted, []string{"insert", "delete"}, 2, 4},
		{"batches 4 to 6 times", "kinds", sorted, []string{batch}, 4, 6.5},
		{"batches 4 to 6 times", "xeon", sorted, []string{batch}, 4, 6.5},
		{"lookups and deletes take up to 1.4 times", "xeon", four, append(lookups, "delete"), 1, 1.45},
		{"lookups and deletes take up to 1.4 times", "xeon", eight, append(lookups, "delete"), 1, 1.45},
		{"in batches up to 1.5 times", "xeon", four, []string{batch}, 1, 1.55},
		{"filling a table 1.4 to 2.1 times with avx-512", "xeon", four, fill, 1.4, 2.15},
		{"filling it 1.4 to 2.1 times, without avx-512 2 to 6", "xeon", eight, fill, 1.4, 2.15},
		{"filling it 1.4 to 2.1 times, without avx-512 2 to 6", "noavx512", four, fill, 2, 6},
		{"filling it 1.4 to 2.1 times, without avx-512 2 to 6", "noavx512", eight, fill, 2, 6},
		{"else 2 to 6 times", "purego", four, fill, 2, 6},
		{"else 2 to 6 times", "purego", eight, fill, 2, 6},
	} {
		s := readStudy(t, c.run, "kinds")
		rounds, said := len(s.values(t, sizes[1].n, "plain, 12 bits, b = 4", batch, "")), 0
		for _, name := range []string{"cuckoo/layout.go", "cuckoo/doc.go", "experiments/catalogue/list.go"} {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			prose := strings.NewReplacer("\" +\n", "", "//", " ", "\"", "", "\n", " ").Replace(strings.ToLower(string(data)))
			if strings.Contains(strings.Join(strings.Fields(prose), " "), c.text) {
				said++
			}
		}
		if said == 0 {
			t.Errorf("nobody says %q any more: mend this test", c.text)
		}
		for _, what := range c.whats {
			over := s.over(t, sizes[1].n, c.series, "plain, 12 bits, b = 4", what)
			if rounds >= 5 && (over < c.from || over > c.to) {
				t.Errorf("%s of %s takes %.2f times as long, and %d files say %q", what, c.series, over, said, c.text)
			}
		}
	}
}

// windowTimes is what go test ./cuckoo/window -run Measure_Beside -v -measure 7 printed.
const windowTimes = "window.txt"

// windowRatios is the paragraph on windows, of the largest table that was measured.
func windowRatios(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(speedRuns, windowTimes))
	if err != nil {
		t.Fatal(err)
	}
	behind := func(name, word string) (number string) {
		for line := range strings.Lines(string(data)) {
			if _, rest, ok := strings.Cut(line, name); ok {
				if _, rest, ok = strings.Cut(rest, word); ok {
					number, _, _ = strings.Cut(rest, " ")
				}
			}
		}
		if number == "" {
			t.Fatalf("%s says nothing of %q", windowTimes, name)
		}
		return number
	}
	of := func(name string) string { return behind("slots, "+name+" ", "ratio ") }
	return fmt.Sprintf(`Lookups of a window take %s times as long as those of a plain filter of 16 bits, %s in batches. New keys in a
steady stream take %s of the time of a filter that deletes its oldest keys. 99.99%% of inserts took under %.0f us (2^20
slots, `+"`go test ./cuckoo/window -run Measure_Beside -v -measure 7`"+`).
`, of("ContainsHash, absent"), of("ContainsHashes of 256, absent"), of("new keys, steady: Delete and InsertUnique"),
		math.Ceil(number(t, behind("99.99% of inserts", "within "))/1000))
}

// batchRatios is the table of batches over single lookups, by the kernels that a build has, at the two smaller sizes.
func batchRatios(t *testing.T) string {
	t.Helper()
	table := ""
	for _, build := range []struct{ folder, name string }{
		{"xeon", "AVX-512"}, {"noavx512", "AVX2, `noavx512`"}, {"purego", "none: arm64, `purego`"},
	} {
		s := readStudy(t, build.folder, "kinds")
		if table == "" {
			table = s.source + ":\n\n| kernels | XOR | Additive |\n|---|---|---|\n"
		}
		table += "| " + build.name + " "
		for _, series := range []string{"plain, 12 bits, XOR", "plain, 12 bits, b = 4"} {
			var cells []string
			for _, size := range sizes[:2] {
				batch := s.values(t, size.n, series, "lookup, absent, 256 at once", "")
				for i, one := range s.values(t, size.n, series, "lookup, absent", "") {
					batch[i] /= one
				}
				cells = append(cells, fmt.Sprintf("%.2f", middleOf(batch)))
			}
			table += "| " + strings.Join(cells, ", ") + " "
		}
		table += "|\n"
	}
	return table
}

// throughput is the table of two goroutines.
func throughput(t *testing.T, s study) string {
	t.Helper()
	table := s.source + ":\n\n| writes | 0% | 5% | 50% |\n|---|---|---|---|\n"
	for _, k := range []struct{ series, name string }{
		{"Concurrent", "`Concurrent`"}, {"Filter, RWMutex", "`Filter`, RWMutex"},
		{"64 Filters, RWMutex each", "64 `Filter`s, an RWMutex each"}, {"sync.Map", "`sync.Map`, exact"},
		{"Filter per core, keys sorted", "`Filter` per core, keys sorted"},
		{"Concurrent, batches", "`Concurrent`, batches of 256"},
		{"Filter, RWMutex, batches", "`Filter`, RWMutex, batches of 256"},
	} {
		row := "| " + k.name
		for _, writes := range []string{"0%", "5%", "50%"} {
			const what = "throughput (million operations per second)"
			row += " | " + short(middleOf(s.values(t, "1000000", k.series, what, "2 goroutines, "+writes+" writes")))
		}
		table += row + " |\n"
	}
	return table
}

// leagueRows are the rows of all tables of the league, by their first cell, behind which stands "over" in the table of
// ratios and "by bytes" in that of keys of 16 bytes.
func leagueRows(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile(league)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	var columns []string
	suffix := ""
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			suffix = map[string]string{"Ours against rivals\n": " over", "Keys of 16 bytes\n": " by bytes"}[title]
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[0] == "filter":
			columns = cells
		case len(cells) == len(columns) && !strings.HasPrefix(cells[0], "-"):
			row := map[string]string{}
			for i, c := range columns {
				row[c] = cells[i]
			}
			rows[cells[0]+suffix] = row
		}
	}
	return rows
}

// middle is the number of a cell at a million keys.
func middle(cell string) string {
	all := strings.Split(cell, " / ")
	return all[len(all)/2]
}

// rivalRatios is the table of ours over rivals, as the league has it.
func rivalRatios(t *testing.T, rows map[string]map[string]string) string {
	t.Helper()
	table := "| ours | over | lookup | batch | insert | delete |\n|---|---|---|---|---|---|\n"
	for _, k := range [][3]string{{"nest cuckoo-xor", "XOR", "C++"}, {"nest cuckoo-additive", "Additive", "C++"},
		{"nest fuse-8 of 3 segments", "fuse, 3 segments", "xorfilter"}, {"nest fuse-8", "fuse, 4 segments", "xorfilter"}} {
		row := rows[k[0]+" over"]
		if row == nil || !strings.HasSuffix(row["over"], k[2]) {
			t.Fatalf("%s has no %s over %s", league, k[0], k[2])
		}
		table += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", k[1], k[2], row["lookups"], row["batches"],
			row["add"], row["remove"])
	}
	return strings.NewReplacer("|  |", "| |", " / ", ", ").Replace(table)
}

// byteTimes is the table of lookups of keys of 16 bytes at a million keys, hash included.
func byteTimes(t *testing.T, rows map[string]map[string]string) string {
	t.Helper()
	table := "| filter | absent, ns | present | 256 at once | rate |\n|---|---|---|---|---|\n"
	for _, k := range [][2]string{{"nest cuckoo-8", "ours, 8 bits"}, {"seiflotfy cuckoo", "seiflotfy"},
		{"nest cuckoo-additive", "ours, 12 bits"}, {"bits-and-blooms bloom 0.2%", "bits-and-blooms"}} {
		row := rows[k[0]+" by bytes"]
		if row == nil {
			t.Fatalf("%s has no %s", league, k[0])
		}
		table += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", k[1], middle(row["absent"]), middle(row["present"]),
			middle(row["batch"]), middle(row["rate"]))
	}
	return strings.ReplaceAll(table, "|  |", "| |")
}
