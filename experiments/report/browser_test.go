package report_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// probe looks at a report as its reader would: is all of it there, large enough, inside the window, and
// does a table sort?
const probe = `
const pixels = (e, scale) => parseFloat(getComputedStyle(e).fontSize) * scale;
const visible = [...document.querySelectorAll("figure svg")].filter(s => s.getBoundingClientRect().width > 0);
const figures = visible.map(s => {
  const box = s.getBoundingClientRect(), texts = [...s.querySelectorAll("text")];
  const sizes = texts.map(t => pixels(t, box.width / s.viewBox.baseVal.width)).sort((a, b) => a - b);
  const scroll = s.closest("div");
  return {hidden: scroll.scrollWidth - scroll.clientWidth, width: box.width, height: box.height,
	text: sizes[sizes.length >> 1] || 0, filter: getComputedStyle(s).filter};
});
const board = document.getElementById("scoreboard"), first = visible[0].getBoundingClientRect().top;
const order = board.getBoundingClientRect().top < first;
const thumbs = [...document.querySelectorAll(".thumb use")].map(t => t.getBoundingClientRect().width);
const folded = [...document.querySelectorAll("details.printed")].every(d => !d.open);
const texts = [...document.querySelectorAll("h1, h2, p, li, td, th, summary, figcaption")].filter(e => e.offsetParent &&
	e.textContent.trim());
for (const d of document.querySelectorAll("details")) d.open = true;
const table = [...document.querySelectorAll("table.sortable")].find(t => !t.classList.contains("verdicts") &&
	t.querySelector("th.n"));
const column = [...table.tHead.rows[0].cells].findIndex(c => c.classList.contains("n"));
const cells = () => [...table.tBodies[0].rows].map(r => r.cells[column].textContent);
const button = table.tHead.rows[0].cells[column].querySelector("button");
button.click(); const up = cells(); button.click();
const root = document.documentElement;
return {figures, up, down: cells(), text: Math.min(...texts.map(e => pixels(e, 1))),
	overflow: root.scrollWidth - root.clientWidth,
	ground: getComputedStyle(document.body).backgroundColor, order, folded, thumbs,
	raw: document.body.innerText.includes("^{"), verdicts: document.querySelectorAll("table.verdicts tbody tr").length};`

type seen struct {
	Figures []struct {
		Hidden, Width, Height, Text float64
		Filter                      string
	}
	Up, Down           []string
	Text, Overflow     float64
	Ground             string
	Verdicts           int
	Order, Folded, Raw bool
	Thumbs             []float64
}

// The sizes below which text is not legible on a phone, in CSS pixels: of the page, and of the ticks and
// labels of a picture.
const (
	leastText  = 13
	leastLabel = 8
)

func TestHTML_InABrowser(t *testing.T) {
	b := start(t)
	some, err := experiments.Default().Only("fig2", "fig3", "fig4")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := some.Run(t.Context(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	real := lab.NewReport(findings, lab.Options{Profile: lab.Tiny, Seed: 1}, nil)
	for name, r := range map[string]*report.Report{"hostile": report.Sample(), "tiny": &real} {
		file := page(t, r)
		for _, width := range []int64{400, 1400} {
			dark := width == 400
			t.Run(fmt.Sprintf("%s/width=%d/dark=%v", name, width, dark), func(t *testing.T) {
				result, console, err := load(b, file, width, dark, probe)
				var s seen
				if err := errors.Join(err, json.Unmarshal(result, &s)); err != nil || len(console) > 0 {
					t.Fatalf("%v, console: %q", err, console)
				}
				s.check(t, r, dark)
			})
		}
	}
}

// page writes the report and returns its page.
func page(t *testing.T, r *report.Report) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	w, err := report.Create(dir, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(w.Add(r, nil), w.Commit()); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "report.html")
}

func (s *seen) check(t *testing.T, r *report.Report, dark bool) {
	t.Helper()
	figures, judged := 0, 0
	for _, section := range r.Sections {
		if section.Figure != nil {
			figures++
		}
		judged += len(section.Verdicts)
	}
	if len(s.Figures) != figures || s.Verdicts != judged {
		t.Errorf("%d figures and %d verdicts, want %d and %d", len(s.Figures), s.Verdicts, figures, judged)
	}
	if !s.Order || !s.Folded || s.Raw || len(s.Thumbs) == 0 || slices.Min(s.Thumbs) < 60 {
		t.Errorf("scoreboard before figures %v, folded %v, raw powers %v, widths of small pictures %v", s.Order, s.Folded,
			s.Raw,
			s.Thumbs)
	}
	ground := "rgb(255, 255, 255)"
	if dark {
		ground = "rgb(24, 24, 24)"
	}
	for i, f := range s.Figures {
		if f.Hidden > 0 || f.Width < 300 || f.Height < 200 || f.Text < leastLabel ||
			strings.HasPrefix(f.Filter, "invert(") != dark {
			t.Errorf("figure %d: %+v", i, f)
		}
	}
	if s.Overflow > 0 || s.Text < leastText || s.Ground != ground {
		t.Errorf("sticks out by %v pixels, smallest text %v pixels, on %s", s.Overflow, s.Text, s.Ground)
	}
	rising := func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	}
	if len(s.Up) < 2 || !slices.IsSortedFunc(s.Up, rising) {
		t.Errorf("sorted: %q", s.Up)
	}
	slices.Reverse(s.Down)
	if !slices.IsSortedFunc(s.Down, rising) {
		t.Errorf("sorted downwards, and turned round: %q", s.Down)
	}
}
