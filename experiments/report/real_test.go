package report_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// What only a browser can tell is tried in a headless Chromium: that scripts run without an error, that pictures have a
// size, that nothing sticks out of a narrow window. What only LaTeX can tell is tried with pdflatex.

// tiny is a real report of experiments at the smallest size.
func tiny(t *testing.T, registry lab.Registry) *report.Report {
	t.Helper()
	o := lab.Options{Profile: lab.Tiny, Seed: 1}
	r := lab.NewReport(must.Get(registry.Run(t.Context(), o))(t), o, nil)
	return &r
}

// written writes the report and returns its folder.
func written(t *testing.T, r *report.Report) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	w := must.Get(report.Create(dir, report.Options{}))(t)
	defer w.Close()
	if err := errors.Join(w.Add(r, nil), w.Commit()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start starts a Chromium, or skips the test where there is none.
func start(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	for _, other := range []string{"chromium-browser", "google-chrome"} {
		if err != nil {
			path, err = exec.LookPath(other)
		}
	}
	if err != nil || testing.Short() {
		t.Skip("no browser, or -short")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// load opens a file of HTML in a window of the given width in CSS pixels and runs probe, the body of a JavaScript
// function. It returns what that returns, as JSON, and every message that scripts or the browser wrote to the console.
func load(b context.Context, file string, width int64, dark bool, probe string) (result []byte, console []string, err error) {
	b, stop := chromedp.NewContext(b)
	defer stop()
	ctx, stop := context.WithTimeout(b, 2*time.Minute) // an idle machine takes a second or two, a busy one ten times as long
	defer stop()
	var mu sync.Mutex
	err = chromedp.Listen(b, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			console = append(console, string(e.Args[0].Value))
		case *runtime.EventExceptionThrown:
			console = append(console, e.ExceptionDetails.Exception.Description)
		case *log.EventEntryAdded:
			console = append(console, e.Entry.Text)
		}
	})
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: map[bool]string{true: "dark", false: "light"}[dark]}
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}}
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, params)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+filepath.ToSlash(file)))
	}
	if err == nil { // after what a script has put off until the page was there
		result, err = chromedp.Run(ctx, chromedp.Evaluate[[]byte](
			"new Promise(done => setTimeout(() => done((() => {"+probe+"})()), 100))", chromedp.EvalAwaitPromise))
	}
	mu.Lock()
	defer mu.Unlock()
	return result, slices.Clone(console), err
}

// The tests of pages rest on this: that a message on the console, and an error nobody catches, are seen,
// and that the window is as wide as was asked for.
func TestBrowser_SeesWhatGoesWrong(t *testing.T) {
	b, dir := start(t), t.TempDir()
	file := filepath.Join(dir, "page.html")
	text := `<!DOCTYPE html><title>x</title><script>console.error("first"); setTimeout(() => missing(), 0)</script>`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, console, err := load(b, file, 400, true, `return [innerWidth, matchMedia("(prefers-color-scheme: dark)").matches].join()`)
	if err != nil || string(got) != `"400,true"` {
		t.Errorf("the probe returned %s, %v", got, err)
	}
	if all := strings.Join(console, "\n"); len(console) != 2 || !strings.Contains(all, "first") ||
		!strings.Contains(all, "missing is not defined") {
		t.Errorf("console: %q", console)
	}
	if _, _, err := load(b, filepath.Join(dir, "none.html"), 400, false, ""); err == nil {
		t.Error("a file that is not there is loaded")
	}
}

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
const table = [...document.querySelectorAll("table.sortable")].find(t => t.querySelector("th.n"));
const column = [...table.tHead.rows[0].cells].findIndex(c => c.classList.contains("n"));
const cells = () => [...table.tBodies[0].rows].map(r => parseFloat(r.cells[column].textContent));
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
	Up, Down, Thumbs   []float64
	Text, Overflow     float64
	Ground             string
	Verdicts           int
	Order, Folded, Raw bool
}

func TestHTML_InABrowser(t *testing.T) {
	b := start(t)
	real := tiny(t, must.Get(experiments.Default().Only("fig2", "fig3", "fig4"))(t))
	for name, r := range map[string]*report.Report{"hostile": report.Sample(), "tiny": real} {
		file := filepath.Join(written(t, r), "report.html")
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

func (s *seen) check(t *testing.T, r *report.Report, dark bool) {
	t.Helper()
	const leastText, leastLabel = 13, 8 // in CSS pixels: legible on a phone, on the page and in a picture
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
		t.Errorf("scoreboard before figures %v, folded %v, raw powers %v, widths of small pictures %v", s.Order, s.Folded, s.Raw,
			s.Thumbs)
	}
	for i, f := range s.Figures {
		if f.Hidden > 0 || f.Width < 300 || f.Height < 200 || f.Text < leastLabel || strings.HasPrefix(f.Filter, "invert(") != dark {
			t.Errorf("figure %d: %+v", i, f)
		}
	}
	ground := map[bool]string{true: "rgb(24, 24, 24)", false: "rgb(255, 255, 255)"}[dark]
	if s.Overflow > 0 || s.Text < leastText || s.Ground != ground {
		t.Errorf("sticks out by %v pixels, smallest text %v pixels, on %s", s.Overflow, s.Text, s.Ground)
	}
	falling := func(a, b float64) int { return cmp.Compare(b, a) }
	if len(s.Up) < 2 || !slices.IsSorted(s.Up) || !slices.IsSortedFunc(s.Down, falling) {
		t.Errorf("sorted: %v, and downwards: %v", s.Up, s.Down)
	}
}

// No table of the real report sticks out of the page, nor has to be shrunk by more than a quarter.
func TestLatex_RealTablesFitThePage(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil || testing.Short() {
		t.Skip("no pdflatex, or -short")
	}
	r := tiny(t, experiments.Default())
	dir := written(t, r)
	files := must.Get(filepath.Glob(filepath.Join(dir, "*.tex")))(t)
	if tables := len(experiments.Default().Experiments); len(files) <= tables {
		t.Fatalf("%d tables of %d experiments", len(files), tables)
	}
	body := ""
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		measured := strings.ReplaceAll(string(text), `\ifdim`, `\typeout{wide: \the\wd0}\ifdim`)
		if err := os.WriteFile(file, []byte(measured), 0o644); err != nil {
			t.Fatal(err)
		}
		body += "\\typeout{" + filepath.Base(file) + "}\\input{" + filepath.Base(file) + "}\\clearpage\n"
	}
	out := report.Compile(t, pdflatex, dir, body)
	if at := strings.Index(out, "Overfull \\hbox"); at >= 0 {
		t.Errorf("a table is too wide: %s", out[max(0, at-300):min(at+200, len(out))])
	}
	widths := regexp.MustCompile(`wide: ([0-9.]+)pt`).FindAllStringSubmatch(out, -1)
	for _, m := range widths {
		if w, err := strconv.ParseFloat(m[1], 64); err != nil || w > 345/0.75 {
			t.Errorf("a table is %s pt wide before it is shrunk to 345, %v", m[1], err)
		}
	}
	if len(widths) < len(files)-1 {
		t.Errorf("the widths of %d tables", len(widths))
	}
}
