package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of pages rest on this: that messages on the console, errors that nobody catches and requests are seen, that clicks
// and keys arrive, and that the window is what was asked for.
func TestBrowser_SeesWhatGoesWrong(t *testing.T) {
	chromium, err := Find()
	if err != nil || testing.Short() {
		t.Skip("no browser, or -short")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	text := `<!DOCTYPE html><title>x</title><input id="a"><button onclick="document.title = a.value">b</button>
<script>console.error("first"); setTimeout(() => missing(), 0); fetch("http://127.0.0.1:1/elsewhere").catch(() => { document.body.dataset.done = "yes"; });</script>`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Start(t.Context(), chromium)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Open("file://"+filepath.ToSlash(file), Window{Width: 400, Height: 300, Dark: true, Calm: true, Language: "zh-CN"})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.Wait("document.body.dataset.done"))
	must(p.Click("#a"))
	must(p.Type("text"))
	must(p.Press("x", 2))
	must(p.Press("Tab", 1))
	must(p.Press("Enter", 1))
	var got string
	must(p.Eval(`[innerWidth, matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(prefers-reduced-motion: reduce)").matches, navigator.language, document.title].join()`, &got))
	if got != "400,true,true,zh-CN,textxx" {
		t.Errorf("the page says %s", got)
	}
	console := strings.Join(p.Console(), "\n")
	for _, want := range []string{"first", "missing is not defined"} {
		if !strings.Contains(console, want) {
			t.Errorf("%q is not in the console: %s", want, console)
		}
	}
	if asked := strings.Join(p.Requests(), " "); !strings.Contains(asked, "page.html http://127.0.0.1:1/elsewhere") {
		t.Errorf("requests: %s", asked)
	}
	if shot, err := p.Screenshot(false); err != nil || !strings.HasPrefix(string(shot), "\x89PNG") {
		t.Errorf("a picture of %d bytes, %v", len(shot), err)
	}
	if err := p.Eval("missing()", nil); err == nil || !strings.Contains(err.Error(), "missing is not defined") {
		t.Errorf("an expression that fails: %v", err)
	}
	b.Close()
	if err := p.Eval("1", nil); err == nil {
		t.Error("a browser that was closed answers")
	}
	if _, err := Start(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("a browser that is not there starts")
	}
}
