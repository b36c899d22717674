package report

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/must"
)

func TestHTML_LoadsNothing(t *testing.T) {
	html := read(t, written(t), "report.html")
	for _, bad := range []string{"<link", "<img", "<iframe", "<object", "src=", "@import", "url(http", "fetch(",
		"import(", "xmlns"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, m := range regexp.MustCompile(`(?:href|action)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if strings.ContainsAny(m[1], ":/") {
			t.Errorf("the page refers to %q", m[1])
		}
	}
}

// Hostile text makes no element; every ID is there once. The page is read as XML would be, which its template is
// written to allow, without its script and style.
func TestHTML_HostileTextStaysText(t *testing.T) {
	html := regexp.MustCompile(`(?s)<style>.*?</style>|<script>\nfor .*?</script>`).ReplaceAllString(read(t, written(t), "report.html"), "")
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	count, ids := map[string]int{}, map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must.Do(t, err)
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		count[e.Name.Local]++
		attrs := map[string]string{}
		for _, a := range e.Attr {
			attrs[a.Name.Local] = a.Value
		}
		if id := attrs["id"]; id != "" && ids[id] {
			t.Errorf("id %q comes twice", id)
		} else {
			ids[id] = true
		}
		if e.Name.Local == "svg" && attrs["class"] != "thumb" &&
			(attrs["role"] != "img" || attrs["aria-label"] != "Rates below 10\u207b\u2076 <script>") {
			t.Errorf("svg is %v", attrs)
		}
	}
	for name, want := range map[string]int{"script": 0, "svg": 5, "figure": 2, "section": 3, "h1": 1, "h2": 3,
		"details": 4, "main": 1} {
		if count[name] != want {
			t.Errorf("%d elements %s, want %d", count[name], name, want)
		}
	}
}

// comeInOrder checks that the parts come one after the other.
func comeInOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		_, after, ok := strings.Cut(text, p)
		if !ok {
			t.Errorf("%q is missing or too early", p)
			return
		}
		text = after
	}
}

// A page has the scoreboard first, and then each section with its picture before its verdicts.
func TestPages_ScoreboardThenSections(t *testing.T) {
	dir := written(t)
	const tallies = "Of 3 sentences of the paper: 1 holds, 1 differs, 1 not measured. Of 1 check of our own: 1 not measured."
	comeInOrder(t, read(t, dir, "report.html"), tallies,
		"Profile quick, seed 7; A &lt;CPU&gt; @ 2.50GHz, 2 cores, 3.0 GiB, linux/amd64, go1.26.",
		`id="scoreboard"`, `href="#fig3"`, `<use href="#fig3-0"/>`, "<strong>Figure 3</strong> 2\u00b9\u2078 slots",
		"The claim.",
		`class="status holds">1 holds<`, `class="status differs">1 differs<`, ">1 not measured<",
		"Beyond the paper", `href="#fig4"`,
		`<h2 id="fig3">Figure 3: 2`, "The claim.", "<svg", "What is shown.",
		"crossover", "3%", "0.36%", "differs", "The drawn lines cross there.", "rate", "0.19%", "0.186%", "0.18% to 0.19%",
		"speed",
		"How.", "n = 1000000, 10 trials", "The first limit.", "Table of 2 rows", "0.123457", "1e-06", `href="fig3.csv"`,
		`href="manifest.json"`)
	comeInOrder(t, read(t, dir, "report.md"), tallies, "seed 7", "## Scoreboard",
		"| **Figure 3: 2\u00b9\u2078 slots**<br>The claim. | 1 holds, 1 differs | 1 not measured | <img src=\"fig3.svg\"",
		"### Beyond the paper", "## Figure 3", "The claim.", "](fig3.svg)", "What is shown.",
		"| crossover | 3% | 0.36% | differs | The drawn lines cross there. |",
		"| rate | 0.19% | 0.186% (0.18% to 0.19%) | holds |",
		"How.", "What this does not show", "- The first limit.", "| 8 | 0.123457 |", "Files: fig3.svg, fig3.csv")
	comeInOrder(t, read(t, dir, "verdicts.tex"), "tab:scoreboard", "1 holds, 1 differs", "tab:verdicts-sentence",
		"crossover", "tab:verdicts-own")
}

// Every claim is in a table of a page once, but those that a busy machine has left undecided: they are counted, and in
// the CSV. Many claims that hold are folded. Quotations and tolerances are in the CSV only, and no power is left as
// package chart writes it.
func TestPages_HaveEachClaimOnce(t *testing.T) {
	for _, holding := range []int{0, manyRows} {
		r := undecidedSample()
		r.Sections = r.Sections[:1]
		r.Title, r.Summary = "A report", ""
		vs := &r.Sections[0].Verdicts
		for range holding {
			*vs = append(*vs, (*vs)[0])
		}
		for i := range *vs {
			(*vs)[i].Says = "claim number " + string(rune('a'+i))
		}
		dir := writtenOf(t, r)
		for _, name := range []string{"report.html", "report.md"} {
			text := read(t, dir, name)
			_, folded, _ := strings.Cut(text, "<summary>The other claims: ")
			for _, v := range r.verdicts() {
				want := 1
				if busy(v) {
					want = 0
				}
				hidden := name == "report.html" && holding > 0 && (v.Status == claims.Holds || v.Status == claims.NotMeasured)
				if strings.Count(text, v.Says) != want || strings.Contains(folded, v.Says) != hidden {
					t.Errorf("%s: %s (%v) %d times, folded %v", name, v.Says, v.Status, strings.Count(text, v.Says), !hidden)
				}
			}
			if strings.Contains(text, "As the paper says") || strings.Contains(text, "^{") ||
				!strings.Contains(text, "2\u00b9\u2078 slots") {
				t.Errorf("%s has quotations or raw powers", name)
			}
		}
	}
}

// The paper's tables and figures come in its order, each with its further pictures, and all else behind.
func TestPages_AreInThePapersOrder(t *testing.T) {
	var sections []Section
	for _, s := range [][2]string{{"plain", "Plain"}, {"table2", "Table 2: cost"}, {"fig2", "Figure 2: load"},
		{"fig2-more", "The plateau"}, {"fig10", "Figure 10: more"}, {"table1", "Table 1: kinds"}, {"guard-a", "Guards"},
		{"guard-b", "Memory"}} {
		more := Section{ID: s[0], Title: s[1], Table: Table{Columns: []string{"x"}, Rows: [][]string{{"1"}}}}
		if strings.Contains(s[0], "-") {
			more.Figure = sample().Sections[0].Figure
		}
		sections = append(sections, more)
	}
	sections[6].Claim = "Guards guard."
	html := read(t, writtenOf(t, &Report{Title: "Order", Sections: sections}), "report.html")
	found := func(pattern string) (all string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(html, -1) {
			all += m[1] + " "
		}
		return all
	}
	if got, want := found(`<h2 id="([a-z]+\d*(?:-[a-z]+)?)">`), "scoreboard table1 fig2 fig2-more table2 plain fig10 guard-a guard-b "; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if got, want := found(`(?:<td>|<li>)<a href="#([^"]*)"`), "table1 fig2 table2 fig10 plain guard-a "; got != want {
		t.Errorf("scored %s, want %s", got, want)
	}
}

func TestMarkdown_HostileTextStaysText(t *testing.T) {
	md := read(t, written(t), "report.md")
	for _, bad := range []string{"<script", "[z]", " | *"} {
		if strings.Contains(md, bad) {
			t.Errorf("report.md contains %q", bad)
		}
	}
	for _, line := range strings.Split(md, "\n") {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n > 0 && !strings.HasPrefix(line, "|") {
			t.Errorf("a line with %d table borders: %s", n, line)
		}
	}
}

func TestInline_TakesTheFileApart(t *testing.T) {
	svg := `<?xml version="1.0"?><svg width="340.16pt" height="226.77pt" viewBox="0 0 340.16 226.77"` + "\n\t" +
		`xmlns="http://www.w3.org/2000/svg"><g><text>a</text></g></svg>`
	want := picture{"fig3-0", `a "b"`, 442, "0 0 340.16 226.77", "<g><text>a</text></g>"}
	if got := inline([]byte(svg), "fig3-0", `a "b"`); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCSV_IsPlain(t *testing.T) {
	if got, want := read(t, written(t), "fig3.csv"), "f,rate\n8,0.123457\n16,1e-06\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range [][2]any{{123456789, "123456789"}, {uint64(math.MaxUint64), "18446744073709551615"}, {0.1 + 0.2, "0.3"},
		{1.0 / 3, "0.333333"}, {2e10, "2e+10"}, {math.NaN(), ""}, {math.Copysign(0, -1), "0"}, {float32(0.5), "0.5"},
		{true, "true"}, {"a,b", "a,b"}, {claims.Holds, "holds"}} {
		if got := Format(c[0]); got != c[1] {
			t.Errorf("Format(%v) = %q, want %q", c[0], got, c[1])
		}
	}
}

func TestBench_IsGoBenchmarkFormat(t *testing.T) {
	want := "goos: linux\ngoarch: amd64\npkg: github.com/nestfilter/nest/experiments\ncpu: A <CPU> @ 2.50GHz\n" +
		"\nBenchmarkContains/filter=bloom/fpr=0.001 1000 12.5 ns/op 9.6 bits/item\n" +
		"BenchmarkContains/filter=bloom/fpr=0.001 2000 12.25 ns/op 9.6 bits/item\n"
	got := read(t, written(t), "bench.txt")
	back := must.Get(ReadBench("bench.txt", strings.NewReader(got)))(t)
	for i, l := range back {
		back[i].Line, back[i].Package = 0, ""
		if l.Line != 6+i || l.Package != modulePath+"/experiments" {
			t.Errorf("%+v", l)
		}
	}
	if got != want || !reflect.DeepEqual(back, sample().Bench) {
		t.Errorf("got %q, read back as %+v, want %q", got, back, want)
	}
}

func TestCheck_NamesEveryProblem(t *testing.T) {
	r := sample()
	r.Sections[1].ID = "fig3"
	r.Sections[0].Table.Rows = append(r.Sections[0].Table.Rows, []string{"short"})
	r.Sections[0].Verdicts[1].Why = ""
	r.Sections[1].Figure.Panels = nil
	r.Sections[1].Table.Timed = []string{"s"}
	r.Sections = append(r.Sections, Section{ID: "a/b"}, Section{ID: verdictsID})
	refused(t, r.Check(), `"fig3": the ID comes twice`, "row 2 has 1 values for 2 columns", `"crossover": differs, and no reason`,
		"no panels", `section "a/b"`, `timed column "s"`, `"verdicts": the ID`)
}

func TestMachine_IsThisOne(t *testing.T) {
	m := ThisMachine()
	if m.Cores < 1 || m.GOOS == "" || m.Go == "" || !strings.Contains(m.String(), m.GOOS+"/"+m.GOARCH) {
		t.Errorf("%+v", m)
	}
	if got := (Machine{Cores: 1, GOOS: "plan9", GOARCH: "386",
		Go: "go1"}).String(); got != "unknown CPU, 1 core, plan9/386, go1" {
		t.Errorf("a machine that tells nothing: %q", got)
	}
}

// A report names the code that made it, by a version, a revision and the program's checksum.
func TestModule_NamesTheCode(t *testing.T) {
	m := Module{Path: modulePath}
	m.read(&debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.0.0-20261121155322-717111ee2d3b+dirty"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "717111ee2d3b77e3566f5172168e4ea0751b1f45"},
			{Key: "vcs.modified", Value: "true"}}})
	if got := m.String(); got != "v0.0.0-20261121155322-717111ee2d3b+dirty 717111ee2d3b modified" {
		t.Error(got)
	}
	other := Module{Path: modulePath}
	other.read(&debug.BuildInfo{Main: debug.Module{Path: "example.com/x", Version: "v1"},
		Deps: []*debug.Module{{Path: modulePath, Version: "v2", Replace: &debug.Module{Version: "v3"}}}})
	if this := ThisModule(); other.Version != "v2 => v3" || len(this.Program) != 12 {
		t.Errorf("a dependency is %+v, this program %+v", other, this)
	}
	comeInOrder(t, read(t, written(t), "report.html"), modulePath+" ", ThisModule().Program)
}

func TestPages_LongTablesAreCut(t *testing.T) {
	r := &Report{Sections: []Section{{ID: "long", Table: Table{Columns: []string{"letter"}}}}}
	for range maxRows + 1 {
		r.Sections[0].Table.Add("x")
	}
	dir := writtenOf(t, r)
	html := read(t, dir, "report.html")
	if comeInOrder(t, html, "<details>", "Table of 2001 rows, the first 2000 shown"); strings.Count(html, "<td>x</td>") != maxRows {
		t.Errorf("%d rows", strings.Count(html, "<td>x</td>"))
	}
	if got := strings.Join(names(t, dir), " "); got != "long.csv manifest.json report.html report.md" { // nor for LaTeX
		t.Errorf("the folder holds %s", got)
	}
}

func TestAdd_IsDeterministic(t *testing.T) {
	a, b := written(t), written(t)
	for _, name := range names(t, a) {
		if name != manifestName && read(t, a, name) != read(t, b, name) {
			t.Errorf("%s differs from one report to the next", name)
		}
	}
}

// undecidedSample is the sample with a verdict of each status, of which two are undecided.
func undecidedSample() *Report {
	r := sample()
	for _, source := range []string{"figure 5", ""} {
		r.Sections[0].Verdicts = append(r.Sections[0].Verdicts,
			verdict(claims.Verdict{Ours: "1.02", Interval: "1.00 to 1.62", Tolerance: "1.25", Status: claims.Undecided,
				Why: "It reaches over an end."}, "flat", "1.00", source, true))
	}
	return r
}

// An undecided verdict is one that was measured, on every page and in every table.
func TestStatus_UndecidedIsMeasured(t *testing.T) {
	dir := writtenOf(t, undecidedSample())
	const tally, legend = "Of 4 sentences of the paper: 1 holds, 1 differs, 1 undecided, 1 not measured. Of 2 checks of our own: 1 undecided, 1 not measured. ", "It is undecided if"
	html := read(t, dir, "report.html")
	const line = "2 claims about times undecided: the machine was too busy, or the run too short, to tell."
	comeInOrder(t, html, tally, legend, `class="status undecided">1 undecided`, line)
	if strings.Contains(html, "It reaches over an end.") || strings.Count(html, "--undecided: ") != 2 {
		t.Error("report.html: what is undecided for times is spelled out, or undecided has no color in light or dark")
	}
	comeInOrder(t, read(t, dir, "report.md"), tally, legend, "1 holds, 1 differs, 1 undecided", line)
	comeInOrder(t, read(t, dir, "verdicts.csv"), "fig3,flat-id,sentence,flat,figure 5,As the paper says: flat,not checked,1.00,1.02,1.00 to 1.62,1.25,undecided,the seed and the machine,It reaches over an end.",
		"fig3,flat-id,own,flat,,,,1.00,")
	comeInOrder(t, read(t, dir, "verdicts.tex"), "1 undecided", "Not listed: 2 claims about times undecided")
	if strings.Contains(read(t, written(t), "report.md"), legend) {
		t.Error("the legend explains what no verdict is")
	}
}
