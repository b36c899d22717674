package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

	"github.com/nestfilter/nest/experiments/must"
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
	must.Do(t, err)
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	must.Do(t, chromedp.Do(ctx))
	return session{ctx, server.URL + "/"}
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
	must.Do(r, err)
}

// open opens an address in a new window of a browser.
func (s session) open(t testing.TB, address string, w window) reader {
	t.Helper()
	ctx, stop := chromedp.NewContext(s.ctx)
	t.Cleanup(stop)
	r := reader{t, ctx, make(chan string, 1000)}
	must.Do(t, chromedp.Listen(ctx, r.note))
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
		must.Do(t, err)
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
	must.Do(r, chromedp.Do(ctx, actions...))
}

// eval evaluates an expression, waits for it if it is a promise, and decodes its value into result unless that is nil.
func (r reader) eval(expression string, result any) {
	r.Helper()
	gesture := func(p *runtime.EvaluateParams) { yes := true; p.UserGesture = &yes }
	data, err := chromedp.Run(r.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, gesture))
	if must.Do(r, err); result != nil {
		must.Do(r, json.Unmarshal(data, result))
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

// maxCompressed is what the program may have at most, so that a page loads within a second or two anywhere.
const maxCompressed = 4 << 20

func TestBuild_FilesAndSize(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	page, err := built()
	must.Do(t, err)
	if page.Compressed > maxCompressed || page.Compressed < 1<<18 || page.Wasm < page.Compressed {
		t.Errorf("%d bytes of WebAssembly, %d compressed", page.Wasm, page.Compressed)
	}
	t.Logf("%d bytes of WebAssembly, %d compressed", page.Wasm, page.Compressed)
	server := httptest.NewServer(page)
	defer server.Close()
	dir := t.TempDir()
	must.Do(t, page.Write(dir))
	for name, typ := range map[string]string{"": "text/html", "index.html": "text/html", "page.js": "text/javascript",
		"nest.wasm.js": "text/javascript", "other": "text/plain"} {
		answer, err := http.Get(server.URL + "/" + name)
		must.Do(t, err)
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), typ) ||
			(answer.StatusCode == http.StatusOK) != (name != "other") {
			t.Errorf("%s: %v, %s, %s", name, err, answer.Status, answer.Header.Get("Content-Type"))
		}
		if written, err := os.ReadFile(filepath.Join(dir, name)); name != "" && name != "other" && (err != nil ||
			string(written) != string(body)) {
			t.Errorf("%s: %v: on disk are %d bytes, served were %d", name, err, len(written), len(body))
		}
	}
	if err := page.Write(filepath.Join(dir, "none")); err == nil {
		t.Error("wrote into a folder that is not there")
	}
}

func TestBuild_SaysWhatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOPROXY", "off")
	says := func(what, want string) {
		t.Helper()
		if _, err := Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	says("outside a module", "run the command in a clone of nest")
	must.Do(t, os.WriteFile("go.mod", []byte("module "+Module+"\n\ngo 1.26.0\n"), 0o600))
	says("a clone without the program", "could not be compiled")
	t.Setenv("PATH", t.TempDir())
	says("no go command", "install Go")
}

// Every text stands in the document in both languages, side by side.
func TestDocument_BothLanguages(t *testing.T) {
	data, err := os.ReadFile("index.html")
	must.Do(t, err)
	en, zh := strings.Count(string(data), `<span lang="en">`), strings.Count(string(data), `<span lang="zh">`)
	if en != zh || en < 40 || !strings.Contains(string(data), "default-src 'none'; script-src 'self' file:") {
		t.Errorf("%d texts in English, %d in Chinese, or the document lets itself ask others", en, zh)
	}
	// What is neither may not be words: numbers, names of parameters, and the names of the languages.
	_, body, _ := strings.Cut(string(data), "</header>")
	body = regexp.MustCompile(`(?s)<span lang="..">.*?</span>|<em>.*?</em>|<option[^>]*>[^<]*</option>|`+
		`<noscript>.*?</noscript>|<[^>]*>`).ReplaceAllString(body, "")
	if rest := regexp.MustCompile(`\pL{2,}`).FindString(body); rest != "" {
		t.Errorf("%q is in one language", rest)
	}
}

// TestIsOwn_Names goes through hosts of a server at a port, some of which other machines give themselves.
func TestIsOwn_Names(t *testing.T) {
	const home, lab = "127.0.0.1:8080", "192.0.2.7:8080"
	for want, cases := range map[bool][][3]string{ // the host, where its connection came in, and a name of the server
		true: {
			{home, home}, {"localhost:8080", home}, {"LOCALHOST:8080", home}, {"[::1]:8080", "[::1]:8080"},
			{lab, lab, "0.0.0.0"}, {"lab.example:8080", lab, "Lab.example"}, {"[::]:8080", "[::1]:8080", "::"},
			{"localhost", "127.0.0.1:80"}, {"[::1]", "[::1]:80"},
		},
		false: {
			{"evil.example:8080", home}, {"evil.example", "127.0.0.1:80"}, {"localhost.evil.example:8080", home},
			{"127.0.0.1:8081", home}, {"127.0.0.1", home}, {lab, home}, {":8080", home}, {"", home}, {"", ""},
		},
	} {
		for _, c := range cases {
			if isOwn(c[0], c[1], []string{net.JoinHostPort(c[2], "0")}) != want {
				t.Errorf("%q, want %v", c, want)
			}
		}
	}
}

// TestOwn_RefusesOtherNames asks a server under its own name and under that of another, and with other methods than
// GET and HEAD.
func TestOwn_RefusesOtherNames(t *testing.T) {
	server := httptest.NewServer(Own(newSite([]byte("program"), []byte("support")), "127.0.0.1:0"))
	defer server.Close()
	const misdirected, refused = http.StatusMisdirectedRequest, http.StatusMethodNotAllowed
	for request, status := range map[[2]string]int{
		{"GET"}: http.StatusOK, {"HEAD"}: http.StatusOK, {"POST"}: refused, {"OPTIONS"}: refused, {"DELETE"}: refused,
		{"GET", "evil.example"}: misdirected, {"GET", "evil.example:80"}: misdirected, {"POST", "evil.example"}: misdirected,
	} {
		asked, err := http.NewRequestWithContext(t.Context(), request[0], server.URL, nil)
		must.Do(t, err)
		asked.Host = request[1]
		answer, err := http.DefaultClient.Do(asked)
		must.Do(t, err)
		answer.Body.Close()
		if allow := answer.Header.Get("Allow"); answer.StatusCode != status || (allow == "GET, HEAD") != (status == refused) {
			t.Errorf("%q: %s, Allow %q", request, answer.Status, allow)
		}
	}
}
