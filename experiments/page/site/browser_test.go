package site

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nestfilter/nest/experiments/must"
)

const left = "document.querySelector('[data-picture=left]').innerHTML"

// TestBrowser_ShowsThePage does what a reader does, in one browser.
func TestBrowser_ShowsThePage(t *testing.T) {
	s := start(t)
	for name, test := range map[string]func(t *testing.T, s session){
		"a lesson": lesson, "the keyboard alone": keyboard, "layouts and languages": layouts, "bad input": badInput,
		"never blank": neverBlank, "sees what goes wrong": seesWhatGoesWrong,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func lesson(t *testing.T, s session) {
	w := window{Width: 1100, Height: 1000, Downloads: t.TempDir()}
	r := s.visit(t, "", w)
	r.says("words", "“vicuna” is stored after 2 kicks")
	r.shoot("page", false)
	r.set("speed", "20")
	r.click("[data-do=clear]")
	got := r.get("document.querySelector('#play').getAttribute('aria-disabled')")
	if got != "true" || strings.Contains(r.get(left), `fill="#fbe3d3"`) {
		t.Errorf("nothing was typed: Play is disabled: %s, and buckets are lit", got)
	}
	r.click("#key")
	r.press("egg", 1)
	r.says("words", "“egg” has the fingerprint")
	if n := strings.Count(r.get(left), `fill="#fbe3d3"`); n != 2 {
		t.Errorf("%d buckets are lit", n)
	}
	r.press(kb.Enter, 1) // which inserts
	r.untilSays("words", "is stored")
	r.says("use", "1 of 16 slots")
	r.click("[data-do=ask]")
	r.says("words", "Yes. “egg” was inserted")
	r.click("[data-do=delete]")
	r.untilSays("words", "is deleted")
	r.says("use", "0 of 16 slots")

	r.click("[data-do=fill]")
	r.until("document.querySelector('#play .on').hidden") // it has played to the end
	r.says("words", "No room for this key", "Nothing is lost",
		"Of 16 keys inserted before, the filter still says yes to 16")
	r.click("[data-do=find]")
	r.says("words", "This is a false positive. It shares the class of")

	// The link is another page's state.
	r.click("#share")
	r.until("document.querySelector('#copied').textContent")
	shown, words := r.get(left), r.reads("words")
	for _, said := range [][2]string{{"zh", "链接已复制。|此浏览器"}, {"en", "The link is copied.|This browser"}} {
		r.click("[data-language=" + said[0] + "]")
		if got := r.get("document.querySelector('#copied').textContent"); !regexp.MustCompile(said[1]).MatchString(got) {
			t.Errorf("in %s: %q", said[0], got)
		}
	}
	again := s.visit(t, r.get("location.hash"), w)
	if again.get(left) != shown || again.reads("words") != words {
		t.Errorf("the link shows %q, want %q", again.reads("words"), words)
	}
	again.save(w.Downloads, shown)
	r.quiet()
	again.quiet()
}

// save saves the picture in both formats and looks at the files.
func (r reader) save(dir, shown string) {
	r.Helper()
	r.click("[data-save=left][data-as=svg]")
	svg := string(r.saved(filepath.Join(dir, "nest-left.svg")))
	var same bool
	r.eval(fmt.Sprintf("(() => { const e = document.createElement('div'); e.innerHTML = %q; return e.innerHTML === %s "+
		"})()", svg, left), &same)
	if !same || !strings.HasPrefix(svg, "<svg xmlns=") {
		r.Errorf("the file is not the picture:\n%s\n%s", svg, shown)
	}
	r.click("[data-save=left][data-as=png]")
	picture, err := png.Decode(bytes.NewReader(r.saved(filepath.Join(dir, "nest-left.png"))))
	must.Do(r, err)
	want := r.get("2 * document.querySelector('[data-picture=left] svg').getAttribute('width')")
	if fmt.Sprint(picture.Bounds().Dx()) != want {
		r.Errorf("the PNG is %v, want a width of %s", picture.Bounds(), want)
	}
}

// saved waits for a file and returns it.
func (r reader) saved(name string) []byte {
	r.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if data, err := os.ReadFile(name); len(data) > 0 || time.Now().After(end) {
			must.Do(r, err)
			return data
		}
	}
}

// With the keyboard alone one reaches every control, types a key, plays a path, and steps back.
func keyboard(t *testing.T, s session) {
	r := s.visit(t, "", window{Width: 1400, Height: 900, Calm: true})
	const active = "document.activeElement.id || JSON.stringify(document.activeElement.dataset)"
	reached := map[string]bool{}
	for at := ""; !reached[at] || at == "{}"; at = r.get(active) { // until it comes around
		reached[at] = true
		r.press(kb.Tab, 1)
	}
	for _, want := range []string{
		"key", `{"do":"insert"}`, `{"do":"delete"}`, `{"do":"fill"}`, "play", `{"step":"-1","end":"start"}`, "speed",
		"backwards", `{"picture":"left"}`, `{"save":"right","as":"png"}`, "m", "kick", "share",
		"slots", "run", `{"save":"rates","as":"svg"}`, `{"language":"zh"}`,
	} {
		if !reached[want] {
			t.Errorf("Tab does not reach %s", want)
		}
	}
	for r.get(active) != "key" {
		r.press(kb.Tab, 1)
	}
	r.press("egg", 1)
	r.press(kb.Enter, 1)
	r.says("words", "“egg” is stored") // at once, since there shall be no motion
	for r.get(active) != `{"picture":"left"}` {
		r.press(kb.Tab, 1)
	}
	end := r.reads("where")
	r.press(kb.ArrowLeft, 1)
	r.says("words", "“egg” has come")
	r.press(kb.ArrowRight, 1)
	if got := r.reads("where"); got != end {
		t.Errorf("on from the step back: %q, want %q", got, end)
	}
	r.press(kb.ArrowLeft, 3)
	r.set("speed", "20")
	r.press("p", 1)
	r.untilSays("where", end)
	r.until("document.querySelector('#play .on').hidden")
	r.click("#backwards")
	r.click("#play")
	r.untilSays("where", "step 1 of 12, picture 1")
	r.quiet()
}

// looks is what only a browser can tell of a layout.
const looks = `(() => {
const root = document.documentElement, seen = e => e.getClientRects().length > 0;
const texts = [...document.querySelectorAll("h1, h2, p, dt, dd, button, label, input, select, figcaption, summary")]
  .filter(seen);
const pictures = [...document.querySelectorAll("[data-picture] svg")].map(s => s.getBoundingClientRect());
const named = [...document.querySelectorAll("button, input, select, textarea")].filter(seen)
  .filter(e => !(e.labels && e.labels.length && e.labels[0].textContent.trim()) && !e.textContent.trim());
return {over: root.scrollWidth - root.clientWidth, wide: Math.max(...pictures.map(p => p.right)),
  pictures: pictures.length, language: root.lang,
  text: Math.min(...texts.map(e => parseFloat(getComputedStyle(e).fontSize))),
  ground: getComputedStyle(document.body).backgroundColor, nameless: named.map(e => e.outerHTML),
  drawn: document.querySelector("[data-picture=left] rect").getAttribute("fill"),
  live: [...document.querySelectorAll("[role=status], [role=alert]")].length};
})()`

func layouts(t *testing.T, s session) {
	for _, w := range []window{
		{Width: 400, Dark: true}, {Width: 400, Language: "zh-CN"}, {Width: 1400},
		{Width: 1600, Dark: true, Language: "zh-CN"},
	} {
		w.Height, w.Calm = 900, true
		t.Run(fmt.Sprintf("width=%d/dark=%v/%s", w.Width, w.Dark, w.Language), func(t *testing.T) {
			r := s.visit(t, "#m=8&b=8&f=32&do=f:", w)
			r.set("slots", "10")
			r.click("#run")
			r.until("document.querySelector('#run .on').hidden")
			if got := r.get("document.querySelector('#run').getAttribute('aria-disabled') + " +
				"document.querySelector('#frames').textContent"); got != "true" {
				t.Errorf("after the refusal, Fill is disabled and no frames are counted: %q", got)
			}
			var l struct {
				Over, Text, Wide        float64
				Pictures, Live          int
				Ground, Drawn, Language string
				Nameless                []string
			}
			r.eval(looks, &l)
			ground, language := map[bool]string{false: "rgb(255, 255, 255) #ffffff", true: "rgb(24, 24, 24) #181818"}[w.Dark],
				map[bool]string{false: "en", true: "zh"}[w.Language != ""]
			if l.Over > 0 || l.Wide > float64(w.Width) || l.Text < 13 || l.Pictures != 4 || l.Live < 3 ||
				l.Ground+" "+l.Drawn != ground || l.Language != language || len(l.Nameless) > 0 {
				t.Errorf("%+v", l)
			}
			if chinese := strings.Contains(r.reads("words"), "放不下这个键"); chinese != (language == "zh") {
				t.Errorf("in %s: %s", language, r.reads("words"))
			}
			r.quiet()
			r.shoot(fmt.Sprintf("page-%d-%s-%v", w.Width, l.Language, w.Dark), true)
		})
	}
}

// shoot writes a picture of the new page, the whole of it or what is in the window, into the folder that the
// environment names in NEST_PAGE_SHOTS, for people to look at; without one it does nothing.
func (r reader) shoot(name string, whole bool) {
	r.Helper()
	dir := os.Getenv("NEST_PAGE_SHOTS")
	if dir == "" {
		return
	}
	r.eval("location.hash = ''", nil)
	r.untilSays("where", "11")
	r.eval("scrollTo(0, 0)", nil)
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	shot, err := chromedp.Run(r.ctx, take)
	must.Do(r, errors.Join(err, os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644)))
}

func badInput(t *testing.T, s session) {
	r := s.visit(t, "#m=99&do=zz", window{Width: 400, Height: 900})
	r.says("problem", "from 1 to 32, not “99”")
	r.eval("document.querySelector('#key').value = 'x'.repeat(1e5)", nil)
	r.click("[data-do=ask]")
	r.says("problem", "This key has 100,000 bytes")
	r.eval(`(() => { const data = new DataTransfer(); data.setData("text/plain", "x".repeat(1e7));
const paste = new ClipboardEvent("paste", {clipboardData: data, cancelable: true});
document.querySelector("#many").dispatchEvent(paste); })()`, nil)
	r.says("problem", "This text has 10,000,000 bytes")
	r.set("m", "-3")
	r.click("#params [type=submit]")
	r.says("unfit", "number of buckets is a number from 1 to 32, not “-3”")
	const fields = "[...document.querySelectorAll('[aria-invalid=true]')].map(e => e.id) + " +
		"' ' + document.querySelector('#pending').hidden"
	bad := r.get(fields)
	r.set("m", "4")
	r.click("#params [type=submit]")
	if good := r.get(fields); bad != "m false" || good != " true" {
		t.Errorf("the fields marked, and whether none is changed: %q, of good parameters %q", bad, good)
	}
	if got := r.reads("problem") + r.reads("unfit"); got != "" || !strings.Contains(r.get("location.hash"), "m=4&") {
		t.Errorf("after good parameters: %q, %s", got, r.get("location.hash"))
	}
	r.eval("location.hash = 'garbage'", nil)
	r.untilSays("problem", "garbage")
	r.quiet()
}

// A page opens from a disk, and a browser that cannot run the filter says so.
func neverBlank(t *testing.T, s session) {
	dir := t.TempDir()
	page, _ := built()
	must.Do(t, page.Write(dir))
	s.address = "file://" + filepath.ToSlash(dir) + "/index.html"
	w := window{Width: 1400, Height: 900}
	r := s.visit(t, "", w)
	r.says("words", "“vicuna” is stored")
	r.quiet()
	for _, c := range []struct{ file, before, want string }{
		{"page.js", "WebAssembly = undefined;", "has no WebAssembly"},
		{"page.js", "DecompressionStream = undefined;", "cannot unpack it"},
		{"page.js", "globalThis.atob = () => 'no gzip';", "The filter could not be started:"},
		{"nest.wasm.js", "//", "The file nest.wasm.js did not load"},
	} {
		must.Do(t, page.Write(dir))
		name := filepath.Join(dir, c.file)
		text, err := os.ReadFile(name)
		must.Do(t, err)
		must.Do(t, os.WriteFile(name, append([]byte(c.before), text...), 0o600))
		s.open(t, s.address, w).untilSays("problem", c.want)
	}
}

// The tests of the page rest on this: that messages on the console, errors that nobody catches and requests that the
// document forbids are seen.
func seesWhatGoesWrong(t *testing.T, s session) {
	r := s.open(t, "data:text/html,<meta http-equiv=Content-Security-Policy content=\"connect-src 'none'\">"+
		"<script>console.error('first'); setTimeout(() => missing(), 0); fetch('http://127.0.0.1:1/elsewhere')"+
		".catch(() => { document.title = 'done' })</script>", window{Width: 400, Height: 300})
	r.until("document.title === 'done'")
	all := ""
	for len(r.console) > 0 {
		all += <-r.console + "\n"
	}
	for _, want := range []string{"first", "missing is not defined", "127.0.0.1:1/elsewhere"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %s", want, all)
		}
	}
}

// BenchmarkBrowser_Frame tells how long a frame takes in which 1000 keys are inserted and both plots drawn, and how
// long after the address was opened there is something to see.
func BenchmarkBrowser_Frame(b *testing.B) {
	r := start(b).visit(b, "", window{Width: 1400, Height: 900})
	var times struct{ Mean, Longest, Paint float64 }
	for b.Loop() {
		r.eval(`new Promise(done => { const frames = [], over = document.querySelector("#run .on");
document.querySelector("#again").click(); document.querySelector("#run").click();
const frame = at => { frames.push(at); if (!over.hidden) return requestAnimationFrame(frame);
  const gaps = frames.slice(1).map((t, i) => t - frames[i]);
  done({mean: gaps.reduce((a, b) => a + b) / gaps.length, longest: Math.max(...gaps),
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime}); };
requestAnimationFrame(frame); })`, &times)
	}
	b.ReportMetric(times.Mean, "ms/frame")
	b.ReportMetric(times.Longest, "ms/longest-frame")
	b.ReportMetric(times.Paint, "ms/first-paint")
}
