package site_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/nestfilter/nest/experiments/page/site"
)

// build compiles the page once for all tests.
var build = sync.OnceValues(func() (*site.Site, error) { return site.Build(context.Background(), "none") })

// serve serves the page and returns its address.
func serve(t testing.TB) string {
	t.Helper()
	built, err := build()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(built)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// get returns the value of an expression as a text.
func (r reader) get(expression string) (text string) {
	r.Helper()
	r.eval("String("+expression+")", &text)
	return text
}

// reads returns what stands in a place of the page.
func (r reader) reads(place string) string {
	r.Helper()
	return r.get(fmt.Sprintf("document.querySelector('[data-show=%s]').textContent", place))
}

// says reports the texts that do not stand in a place.
func (r reader) says(place string, texts ...string) {
	r.Helper()
	got := r.reads(place)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			r.Errorf("%q is not in %q", text, got)
		}
	}
}

const left = "document.querySelector('[data-picture=left]').innerHTML"

func TestBrowser_Lesson(t *testing.T) {
	b, address, downloads := start(t), serve(t), t.TempDir()
	r := visit(t, b, address, window{Width: 1100, Height: 1000, Downloads: downloads})
	r.says("words", "“vole” is stored after 2 kicks")
	r.shoot("page", false)
	r.eval("document.querySelector('#speed').value = '20'", nil)
	r.click("[data-do=clear]")
	got := r.get("document.querySelector('#play').getAttribute('aria-disabled')")
	if got != "true" || strings.Contains(r.get(left), `fill="#fbe3d3"`) {
		t.Errorf("nothing was typed: Play is disabled: %s, and buckets are lit", got)
	}
	r.click("#key")
	r.write("egg")
	r.says("words", "“egg” has the fingerprint")
	if n := strings.Count(r.get(left), `fill="#fbe3d3"`); n != 2 {
		t.Errorf("%d buckets are lit", n)
	}
	r.press(enter, 1) // which inserts
	r.until("document.querySelector('[data-show=words]').textContent.includes('is stored')")
	r.says("use", "1 of 16 slots")
	r.click("[data-do=ask]")
	r.says("words", "Yes. “egg” was inserted")
	r.click("[data-do=delete]")
	r.until("document.querySelector('[data-show=words]').textContent.includes('is deleted')")
	r.says("use", "0 of 16 slots")

	r.click("[data-do=fill]")
	r.until("document.querySelector('#play .on').hidden") // it has played to the end
	r.says("words", "No room for this key", "Nothing is lost",
		"Of 15 keys inserted before, the filter still says yes to 15")
	r.click("[data-do=find]")
	r.says("words", "This is a false positive. It shares the class of")

	// The link is another page's state.
	r.click("#share")
	r.until("document.querySelector('#copied').textContent")
	shown, words := r.get(left), r.reads("words")
	for language, want := range map[string]string{"zh": "链接已复制。", "en": "The link is copied."} {
		r.click("[data-language=" + language + "]")
		if got := r.get("document.querySelector('#copied').textContent"); got != want && !strings.Contains(got,
			map[string]string{"zh": "此浏览器", "en": "This browser"}[language]) {
			t.Errorf("in %s: %q", language, got)
		}
	}
	r.click("[data-language=en]")
	again := visit(t, b, r.get("location.href"), window{Width: 1400, Height: 900, Downloads: downloads})
	if again.get(left) != shown || again.reads("words") != words {
		t.Errorf("the link shows %q, want %q", again.reads("words"), words)
	}
	again.save(downloads, shown)
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
	r.must(err)
	if want := r.get("2 * document.querySelector('[data-picture=left] " +
		"svg').getAttribute('width')"); fmt.Sprint(picture.Bounds().Dx()) != want {
		r.Errorf("the PNG is %v, want a width of %s", picture.Bounds(), want)
	}
}

// saved waits for a file and returns it.
func (r reader) saved(name string) []byte {
	r.Helper()
	for range 500 {
		if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
			return data
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.Fatalf("%s was not saved", name)
	return nil
}

// With the keyboard alone one reaches every control, types a key, plays a path, and steps back.
func TestBrowser_KeyboardAlone(t *testing.T) {
	b, address := start(t), serve(t)
	r := visit(t, b, address, window{Width: 1400, Height: 900, Calm: true})
	const active = "document.activeElement.id || JSON.stringify(document.activeElement.dataset)"
	reached := map[string]bool{}
	for range 60 {
		r.press(tab, 1)
		reached[r.get(active)] = true
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
		r.press(tab, 1)
	}
	r.write("egg")
	r.press(enter, 1)
	r.says("words", "“egg” is stored") // at once, since there shall be no motion
	for r.get(active) != `{"picture":"left"}` {
		r.press(tab, 1)
	}
	end := r.reads("where")
	r.press(back, 1)
	r.says("words", "“egg” has come")
	r.press(on, 1)
	if got := r.reads("where"); got != end {
		t.Errorf("on from the step back: %q, want %q", got, end)
	}
	r.press(back, 3)
	r.eval("document.querySelector('#speed').value = '20'", nil)
	r.press("p", 1)
	r.until("document.querySelector('#play .on').hidden && document.querySelector('[data-show=where]').textContent === " +
		fmt.Sprintf("%q", end))
	r.click("#backwards")
	r.click("#play")
	r.until("document.querySelector('[data-show=where]').textContent.startsWith('step 1 of 12, picture 1')")
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

func TestBrowser_LayoutAndLanguages(t *testing.T) {
	b, address := start(t), serve(t)
	for _, w := range []window{
		{Width: 400, Dark: true}, {Width: 400, Language: "zh-CN"}, {Width: 1400},
		{Width: 1600, Dark: true, Language: "zh-CN"},
	} {
		w.Height, w.Calm = 900, true
		t.Run(fmt.Sprintf("width=%d/dark=%v/%s", w.Width, w.Dark, w.Language), func(t *testing.T) {
			r := visit(t, b, address+"#m=8&b=8&f=32&do=f:", w)
			r.eval("document.querySelector('#pace').value = '10000'", nil)
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
	r.until("document.querySelector('[data-show=where]').textContent.includes('11')")
	r.eval("scrollTo(0, 0)", nil)
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	shot, err := chromedp.Run(r.ctx, take)
	r.must(err)
	r.must(os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644))
}

func TestBrowser_BadInput(t *testing.T) {
	b, address := start(t), serve(t)
	r := visit(t, b, address+"#m=99&do=zz", window{Width: 400, Height: 900})
	r.says("problem", "from 1 to 32, not “99”")
	r.eval("document.querySelector('#key').value = 'x'.repeat(1e5)", nil)
	r.click("[data-do=ask]")
	r.says("problem", "This key has 100,000 bytes")
	r.eval(`(() => { const data = new DataTransfer(); data.setData("text/plain", "x".repeat(1e7));
const paste = new ClipboardEvent("paste", {clipboardData: data, cancelable: true});
document.querySelector("#many").dispatchEvent(paste); })()`, nil)
	r.says("problem", "This text has 10,000,000 bytes")
	r.eval("document.querySelector('#m').value = '-3'", nil)
	r.click("#params [type=submit]")
	r.says("unfit", "number of buckets is a number from 1 to 32, not “-3”")
	const invalid = "[...document.querySelectorAll('[aria-invalid=true]')].map(e => e.id)"
	if got := r.get(invalid); got != "m" {
		t.Errorf("the fields %q are marked", got)
	}
	r.eval("document.querySelector('#m').value = '4'; document.querySelector('#m').dispatchEvent(new Event('input'))", nil)
	if r.get("document.querySelector('#pending').hidden") != "false" {
		t.Error("nothing says that a changed parameter is not in use")
	}
	r.click("#params [type=submit]")
	if r.get(invalid) != "" || r.get("document.querySelector('#pending').hidden") != "true" {
		t.Error("a field is still marked")
	}
	if got := r.reads("problem") + r.reads("unfit"); got != "" || !strings.Contains(r.get("location.hash"), "m=4&") {
		t.Errorf("after good parameters: %q, %s", got, r.get("location.hash"))
	}
	r.eval("location.hash = 'garbage'", nil)
	r.until("document.querySelector('[data-show=problem]').textContent.includes('garbage')")
	r.quiet()
}

// A browser that cannot run the filter says so.
func TestBrowser_NeverBlank(t *testing.T) {
	b := start(t)
	dir := t.TempDir()
	built, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if err := built.Write(dir); err != nil {
		t.Fatal(err)
	}
	address := "file://" + filepath.ToSlash(dir) + "/index.html"
	r := visit(t, b, address, window{Width: 1400, Height: 900}) // from a disk
	r.says("words", "“vole” is stored")
	r.quiet()
	for want, spoil := range map[string]func(string) string{
		"has no WebAssembly":               func(s string) string { return "WebAssembly = undefined;\n" + s },
		"cannot unpack it":                 func(s string) string { return "DecompressionStream = undefined;\n" + s },
		"The filter could not be started:": func(s string) string { return "globalThis.atob = () => 'no gzip';\n" + s },
	} {
		script, err := os.ReadFile(filepath.Join(dir, "page.js"))
		if err != nil {
			t.Fatal(err)
		}
		r.spoiled(b, dir, "page.js", spoil(string(script)), want)
		if err := os.WriteFile(filepath.Join(dir, "page.js"), script, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.spoiled(b, dir, "nest.wasm.js", "", "The file nest.wasm.js did not load")
}

// spoiled opens the page with another file in place of one, and waits for a sentence.
func (r reader) spoiled(b context.Context, dir, name, text, want string) {
	r.Helper()
	r.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	p := open(r, b, "file://"+filepath.ToSlash(dir)+"/index.html", window{Width: 1400, Height: 900})
	p.until(fmt.Sprintf("document.querySelector('[data-show=problem]').textContent.includes(%q)", want))
}

// BenchmarkBrowser_Frame tells how long a frame takes in which 1000 keys are inserted and both plots drawn, and how
// long after the address was opened there is something to see.
func BenchmarkBrowser_Frame(b *testing.B) {
	r := visit(b, start(b), serve(b), window{Width: 1400, Height: 900})
	paint := r.get("performance.getEntriesByName('first-contentful-paint')[0].startTime")
	var times struct{ Mean, Longest, Painted float64 }
	for b.Loop() {
		r.eval(`new Promise(done => { const frames = [], over = document.querySelector("#run .on");
document.querySelector("#again").click(); document.querySelector("#run").click();
const frame = at => { frames.push(at); if (!over.hidden) return requestAnimationFrame(frame);
  const gaps = frames.slice(1).map((t, i) => t - frames[i]);
  done({mean: gaps.reduce((a, b) => a + b) / gaps.length, longest: Math.max(...gaps)}); };
requestAnimationFrame(frame); })`, &times)
	}
	var ms float64
	_, err := fmt.Sscan(paint, &ms)
	r.must(err)
	b.ReportMetric(times.Mean, "ms/frame")
	b.ReportMetric(times.Longest, "ms/longest-frame")
	b.ReportMetric(ms, "ms/first-paint")
}
