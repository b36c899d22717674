package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds every wait: an idle machine takes a moment, a busy one ten times as long.
const patience = 2 * time.Minute

// built compiles the page once for all tests.
var built = sync.OnceValues(func() (*Site, error) { return Build(context.Background(), "none") })

// A session is a Chromium, and the address of the page.
type session struct {
	ctx     context.Context
	address string
}

// start starts a Chromium and a server of the page, or skips the test where there is none.
func start(t testing.TB) session {
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
	page, err := built()
	check(t, err)
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	check(t, chromedp.Do(ctx))
	return session{ctx, server.URL + "/"}
}

// check ends a test at an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A window says what a page is opened in.
type window struct {
	Width, Height int64 // in CSS pixels
	Dark, Calm    bool
	Language      string // such as zh-CN
	Downloads     string // the folder that what a page saves goes to, "" for none
}

// A reader is somebody at a browser, whose every click has to work.
type reader struct {
	testing.TB
	ctx     context.Context
	console chan string
}

// note keeps what went wrong: what scripts and the browser write to the console, also that the document's policy forbids
// a request.
func (r reader) note(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			r.console <- string(a.Value)
		}
	case *runtime.EventExceptionThrown:
		r.console <- fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description)
	case *log.EventEntryAdded:
		r.console <- e.Entry.Text
	}
}

// call gives the page of a reader a command of the DevTools protocol.
func call[P, R any](r reader, command cdp.Command[P, R], params P) {
	r.Helper()
	_, err := chromedp.Call(r.ctx, command, params)
	check(r, err)
}

// open opens an address in a new window of a browser.
func (s session) open(t testing.TB, address string, w window) reader {
	t.Helper()
	ctx, stop := chromedp.NewContext(s.ctx)
	t.Cleanup(stop)
	r := reader{t, ctx, make(chan string, 1000)}
	check(t, chromedp.Listen(ctx, r.note))
	r.do(chromedp.EmulateViewport(w.Width, w.Height))
	call(r, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: map[bool]string{false: "light", true: "dark"}[w.Dark]},
		{Name: "prefers-reduced-motion", Value: map[bool]string{true: "reduce"}[w.Calm]}}})
	if w.Language != "" {
		source := fmt.Sprintf("Object.defineProperty(navigator, 'language', {value: %q})", w.Language)
		call(r, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
	}
	if w.Downloads != "" {
		_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: w.Downloads})
		check(t, err)
	}
	r.do(chromedp.Navigate(address))
	return r
}

// visit opens the page at a link in a new window and waits until it can be used.
func (s session) visit(t testing.TB, link string, w window) reader {
	t.Helper()
	r := s.open(t, s.address+link, w)
	r.until("document.body.dataset.ready")
	return r
}

func (r reader) do(actions ...chromedp.Action[chromedp.Void]) {
	r.Helper()
	ctx, stop := context.WithTimeout(r.ctx, patience)
	defer stop()
	check(r, chromedp.Do(ctx, actions...))
}

// eval evaluates an expression, waits for it if it is a promise, and decodes its value into result unless that is nil.
func (r reader) eval(expression string, result any) {
	r.Helper()
	gesture := func(p *runtime.EvaluateParams) { yes := true; p.UserGesture = &yes }
	data, err := chromedp.Run(r.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, gesture))
	if check(r, err); result != nil {
		check(r, json.Unmarshal(data, result))
	}
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

// until waits until an expression is true.
func (r reader) until(expression string) {
	r.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var ok bool
		if r.eval("!!("+expression+")", &ok); ok {
			return
		}
		if time.Now().After(end) {
			r.Fatalf("waited %v for %s", patience, expression)
		}
	}
}

// untilSays waits until a text stands in a place.
func (r reader) untilSays(place, text string) {
	r.Helper()
	r.until(fmt.Sprintf("document.querySelector('[data-show=%s]').textContent.includes(%q)", place, text))
}

// click clicks in the middle of the first element of a selector.
func (r reader) click(selector string) {
	r.Helper()
	r.do(chromedp.Click(chromedp.CSS(selector)))
}

// set gives the field of a name a value, as somebody does who types or chooses it.
func (r reader) set(id, value string) {
	r.Helper()
	r.eval(fmt.Sprintf("{ const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input')); "+
		"e.dispatchEvent(new Event('change')) }", id, value), nil)
}

// press presses a key n times.
func (r reader) press(key string, n int) {
	r.Helper()
	r.do(slices.Repeat([]chromedp.Action[chromedp.Void]{chromedp.KeyEvent(key)}, n)...)
}

// quiet reports what was written to the console.
func (r reader) quiet() {
	r.Helper()
	for len(r.console) > 0 {
		r.Errorf("console: %q", <-r.console)
	}
}
