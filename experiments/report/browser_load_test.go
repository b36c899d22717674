package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What only a browser can tell is tried in a headless Chromium: that scripts run without an error, that pictures have a size, that
// nothing sticks out of a narrow window.

// patience bounds a page: an idle machine takes a second or two, a busy one ten times as long.
const patience = 2 * time.Minute

// A loaded is what became of a page in a window.
type loaded struct {
	// Console holds every message that scripts or the browser wrote to the console.
	Console []string
	// Result is what the probe returned.
	Result json.RawMessage
}

// load opens a file of HTML in a window of the given width in CSS pixels, after adding a script at its end
// that runs probe, the body of a JavaScript function, and keeps what it returns. Nothing is fetched from a
// network. The error says what the browser wrote if it fails or the page never finished.
func load(ctx context.Context, chromium, file string, width int, dark bool, probe string) (*loaded, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	defer os.RemoveAll(dir)
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, frame(string(text)+script(probe), width), 0o600); err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, flags(dir, page, width, dark)...)
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("browser: %s: %w\n%s", file, err, errs.Bytes())
	}
	p := new(loaded)
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			p.Console = append(p.Console, strings.TrimSpace(line))
		}
	}
	_, rest, ok := strings.Cut(out.String(), `<pre id="`+probeID+`">`)
	result, _, closed := strings.Cut(rest, "</pre>")
	if !ok || !closed {
		return nil, fmt.Errorf("browser: %s: the probe did not finish\n%s", file, errs.Bytes())
	}
	p.Result = json.RawMessage(html.UnescapeString(result))
	return p, nil
}

// probeID is the element that holds what the probe returned.
const probeID = "browser-probe"

// script is the probe as a script of the page.
func script(probe string) string {
	return `<script>{ const result = (() => {` + probe + `})(), pre = parent.document.createElement("pre");
pre.id = "` + probeID + `"; pre.textContent = JSON.stringify(result); parent.document.body.append(pre); }</script>`
}

// frame is a page that shows another one in a frame of the given width: the window itself does not get
// narrower than 500 pixels. A srcdoc has the origin of the page around it, so the probe can hand its result
// over.
func frame(page string, width int) []byte {
	return fmt.Appendf(nil, `<!DOCTYPE html><title>frame</title><body style="margin:0"><iframe style="border:0;width:%dpx;height:900px" srcdoc="%s"></iframe>`,
		width, html.EscapeString(page))
}

func flags(dir, page string, width int, dark bool) []string {
	scheme := "1" // blink::mojom::PreferredColorScheme: 0 is dark, 1 is light
	if dark {
		scheme = "0"
	}
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--v=0", "--hide-scrollbars", "--window-size=" + strconv.Itoa(max(width, 500)) + ",900",
		"--blink-settings=preferredColorScheme=" + scheme, "--dump-dom", "file://" + filepath.ToSlash(page),
	}
}
