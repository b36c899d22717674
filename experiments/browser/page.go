package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Page is a window with a document.
type Page struct {
	b       *Browser
	session string

	mu        sync.Mutex
	console   []string
	addresses []string
}

// A Window says what a page is opened in.
type Window struct {
	Width, Height int // in CSS pixels
	Dark, Calm    bool
	Language      string // such as zh-CN
	Downloads     string // the folder that what a page saves goes to, "" for none
}

// Open opens an address in a new window, which takes the place of an earlier one as the one whose messages are kept.
func (b *Browser) Open(address string, w Window) (*Page, error) {
	var target struct {
		TargetID string `json:"targetId"`
	}
	if err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{b: b, session: attached.SessionID}
	b.mu.Lock()
	b.onEvent = p.note
	b.mu.Unlock()
	scheme, motion := "light", "no-preference"
	if w.Dark {
		scheme = "dark"
	}
	if w.Calm {
		motion = "reduce"
	}
	type params = map[string]any
	steps := []struct {
		method string
		params params
	}{
		{"Runtime.enable", nil}, {"Log.enable", nil}, {"Network.enable", nil}, {"Page.enable", nil},
		{"Emulation.setDeviceMetricsOverride", params{"width": w.Width, "height": w.Height, "deviceScaleFactor": 1, "mobile": false}},
		{"Emulation.setEmulatedMedia", params{"features": []params{{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}}}},
		{"Emulation.setLocaleOverride", params{}},
		{"Page.navigate", params{"url": address}},
	}
	if w.Language != "" {
		steps = slices.Insert(steps, len(steps)-1, struct {
			method string
			params params
		}{"Page.addScriptToEvaluateOnNewDocument", params{"source": fmt.Sprintf("Object.defineProperty(navigator, 'language', {value: %q})", w.Language)}})
	}
	if w.Downloads != "" {
		if err := b.call("", "Browser.setDownloadBehavior", params{"behavior": "allow", "downloadPath": w.Downloads}, nil); err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if err := b.call(p.session, s.method, s.params, nil); err != nil {
			return nil, err
		}
	}
	return p, p.Wait(`document.readyState === "complete"`)
}

// note keeps what a test asks for afterwards: what went wrong, and what was asked of a network.
func (p *Page) note(m message) {
	if m.SessionID != p.session {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		p.console = append(p.console, string(m.Params))
	case "Network.requestWillBeSent":
		var sent struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if json.Unmarshal(m.Params, &sent) == nil {
			p.addresses = append(p.addresses, sent.Request.URL)
		}
	}
}

// Console returns what scripts and the browser wrote to the console, and errors that nobody caught.
func (p *Page) Console() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.console)
}

// Requests returns the addresses that the page has asked for.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addresses)
}

// Eval evaluates an expression of JavaScript, waits for it if it is a promise, and decodes its value into result unless that
// is nil.
func (p *Page) Eval(expression string, result any) error {
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := p.b.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &got); err != nil {
		return err
	}
	switch {
	case got.Exception != nil:
		return fmt.Errorf("browser: %s: %s %s", expression, got.Exception.Text, got.Exception.Exception.Description)
	case result == nil || got.Result.Value == nil:
		return nil
	}
	return json.Unmarshal(got.Result.Value, result)
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var ok bool
		if err := p.Eval("!!("+expression+")", &ok); err != nil || ok {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("browser: waited %v for %s", patience, expression)
		}
	}
}

// Click clicks with the mouse in the middle of the first element of a selector.
func (p *Page) Click(selector string) error {
	var at struct{ X, Y float64 }
	err := p.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center", behavior: "instant"});
const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		if err == nil {
			err = p.b.call(p.session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
		}
	}
	return err
}

// Type types a text at the focus, as one piece.
func (p *Page) Type(text string) error {
	return p.b.call(p.session, "Input.insertText", map[string]any{"text": text}, nil)
}

// Press presses a key, which is a name of the Web such as Tab or Enter, or a letter, some times.
func (p *Page) Press(key string, times int) error {
	codes := map[string]int{"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40}
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	if len(key) == 1 {
		text = key
	}
	for range times {
		for _, kind := range []string{"keyDown", "keyUp"} {
			params := map[string]any{"type": kind, "key": key, "windowsVirtualKeyCode": codes[key]}
			if kind == "keyDown" && text != "" {
				params["text"] = text
			}
			if err := p.b.call(p.session, "Input.dispatchKeyEvent", params, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// Screenshot returns a PNG of the window, or of the whole document.
func (p *Page) Screenshot(whole bool) ([]byte, error) {
	var shot struct{ Data []byte }
	err := p.b.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	return shot.Data, err
}
