package report_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// What only a browser can tell is tried in a headless Chromium: that scripts run without an error, that pictures have a
// size, that nothing sticks out of a narrow window.

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
// function. It returns what that returns, as JSON, and every message that scripts or the browser wrote to the
// console.
func load(b context.Context, file string, width int64, dark bool, probe string) (result []byte, console []string,
	err error) {
	const patience = 2 * time.Minute // an idle machine takes a second or two, a busy one ten times as long
	b, stop := chromedp.NewContext(b)
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
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithTimeout(b, patience)
	defer stop()
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: map[bool]string{true: "dark",
		false: "light"}[dark]}
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}}
	if _, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, params); err == nil {
		err = chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+filepath.ToSlash(file)))
	}
	if err == nil {
		// After what a script has put off until the page was there.
		result, err = chromedp.Run(ctx, chromedp.Evaluate[[]byte]("new Promise(done => setTimeout(() => done((() => "+
			"{"+probe+"})()), 100))",
			chromedp.EvalAwaitPromise))
	}
	mu.Lock()
	defer mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return result, slices.Clone(console), err
}

// The tests of pages rest on this: that a message on the console, and an error nobody catches, are seen,
// and that the window is as wide as was asked for.
func TestBrowser_SeesWhatGoesWrong(t *testing.T) {
	b, dir := start(t), t.TempDir()
	file := filepath.Join(dir, "page.html")
	text := `<!DOCTYPE html><title>x</title><p>&lt;b&gt; & text</p>` +
		`<script>console.error("first"); setTimeout(() => missing(), 0)</script>`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, console, err := load(b, file, 400, true,
		`return [innerWidth, matchMedia("(prefers-color-scheme: dark)").matches, document.querySelector("p").textContent].join()`)
	if err != nil || string(got) != `"400,true,<b> & text"` {
		t.Errorf("the probe returned %s, %v", got, err)
	}
	if all := strings.Join(console, "\n"); len(console) != 2 || !strings.Contains(all, "first") || !strings.Contains(all,
		"missing is not defined") {
		t.Errorf("console: %q", console)
	}
	if _, _, err := load(b, filepath.Join(dir, "none.html"), 400, false, ""); err == nil || !strings.Contains(err.Error(),
		"none.html") {
		t.Errorf("a file that is not there: %v", err)
	}
}
