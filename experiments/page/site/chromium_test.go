package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience bounds every wait: an idle machine takes a moment, a busy one ten times as long.
const patience = 2 * time.Minute

// start starts a Chromium, or skips the test where there is none.
func start(t testing.TB) context.Context {
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
	options = append(options, chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
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
	ctx  context.Context
	seen *seen
}

// seen is what went wrong: what scripts and the browser write to the console, also that the document's policy forbids a
// request.
type seen struct {
	sync.Mutex
	console []string
}

func (s *seen) note(event any) {
	s.Lock()
	defer s.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			s.console = append(s.console, string(a.Value))
		}
	case *runtime.EventExceptionThrown:
		s.console = append(s.console, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
	case *log.EventEntryAdded:
		s.console = append(s.console, e.Entry.Text)
	}
}

// call gives the page of a reader a command of the DevTools protocol.
func call[P, R any](r reader, command cdp.Command[P, R], params P) {
	r.Helper()
	_, err := chromedp.Call(r.ctx, command, params)
	r.must(err)
}

// open opens an address in a new window of a browser.
func open(t testing.TB, b context.Context, address string, w window) reader {
	t.Helper()
	ctx, stop := chromedp.NewContext(b)
	t.Cleanup(stop)
	r := reader{t, ctx, new(seen)}
	r.must(chromedp.Listen(ctx, r.seen.note))
	r.do(chromedp.EmulateViewport(w.Width, w.Height))
	scheme, motion := "light", ""
	if w.Dark {
		scheme = "dark"
	}
	if w.Calm {
		motion = "reduce"
	}
	call(r, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion}}})
	if w.Language != "" {
		source := fmt.Sprintf("Object.defineProperty(navigator, 'language', {value: %q})", w.Language)
		call(r, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
	}
	if w.Downloads != "" {
		_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: w.Downloads})
		r.must(err)
	}
	r.do(chromedp.Navigate(address))
	return r
}

// visit opens the page in a new window and waits until it can be used.
func visit(t testing.TB, b context.Context, address string, w window) reader {
	t.Helper()
	r := open(t, b, address, w)
	r.until("document.body.dataset.ready")
	return r
}

func (r reader) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r reader) do(actions ...chromedp.Action[chromedp.Void]) {
	r.Helper()
	ctx, stop := context.WithTimeout(r.ctx, patience)
	defer stop()
	r.must(chromedp.Do(ctx, actions...))
}

// eval evaluates an expression, waits for it if it is a promise, and decodes its value into result unless that is nil.
func (r reader) eval(expression string, result any) {
	r.Helper()
	data, err := chromedp.Run(r.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, userGesture))
	r.must(err)
	if result != nil {
		r.must(json.Unmarshal(data, result))
	}
}

func userGesture(p *runtime.EvaluateParams) { yes := true; p.UserGesture = &yes }

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

// click clicks in the middle of the first element of a selector.
func (r reader) click(selector string) {
	r.Helper()
	r.eval(fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'})", selector), nil)
	r.do(chromedp.Click(chromedp.CSS(selector)))
}

// write types a text at the focus, as one piece.
func (r reader) write(text string) {
	r.Helper()
	call(r, input.InsertText, input.InsertTextParams{Text: text})
}

// press presses a key n times.
func (r reader) press(key string, n int) {
	r.Helper()
	r.do(slices.Repeat([]chromedp.Action[chromedp.Void]{chromedp.KeyEvent(key)}, n)...)
}

// The keys, beside letters.
const tab, enter, back, on = kb.Tab, kb.Enter, kb.ArrowLeft, kb.ArrowRight

// quiet reports what was written to the console.
func (r reader) quiet() {
	r.Helper()
	r.seen.Lock()
	defer r.seen.Unlock()
	if len(r.seen.console) > 0 {
		r.Errorf("console: %q", r.seen.console)
	}
}

// The tests of the page rest on this: that messages on the console, errors that nobody catches and requests that the
// document forbids are seen.
func TestBrowser_SeesWhatGoesWrong(t *testing.T) {
	r := open(t, start(t), "data:text/html,<meta http-equiv=Content-Security-Policy content=\"connect-src 'none'\">"+
		"<script>console.error('first'); setTimeout(() => missing(), 0); fetch('http://127.0.0.1:1/elsewhere')"+
		".catch(() => { document.title = 'done' })</script>", window{Width: 400, Height: 300})
	r.until("document.title === 'done'")
	r.seen.Lock()
	defer r.seen.Unlock()
	for _, want := range []string{"first", "missing is not defined", "127.0.0.1:1/elsewhere"} {
		if all := fmt.Sprint(r.seen.console); !strings.Contains(all, want) {
			t.Errorf("%q is not in %s", want, all)
		}
	}
}
