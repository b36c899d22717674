package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/browser"
)

// The tests of pages rest on this: that a message on the console, and an error nobody catches, are seen,
// and that the window is as wide as was asked for.
func TestBrowser_SeesWhatGoesWrong(t *testing.T) {
	chromium, err := browser.Find()
	if err != nil || testing.Short() {
		t.Skip("no browser, or -short")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	text := `<!DOCTYPE html><title>x</title><p>&lt;b&gt; & text</p><script>console.error("first"); setTimeout(() => missing(), 0)</script>`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := load(t.Context(), chromium, file, 400, true,
		`return [innerWidth, matchMedia("(prefers-color-scheme: dark)").matches, document.querySelector("p").textContent]`)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.Result); got != `[400,true,"<b> & text"]` {
		t.Errorf("the probe returned %s", got)
	}
	if all := strings.Join(p.Console, "\n"); len(p.Console) != 2 || !strings.Contains(all, "first") || !strings.Contains(all, "missing is not defined") {
		t.Errorf("console: %q", p.Console)
	}
	if _, err := load(t.Context(), chromium, filepath.Join(t.TempDir(), "none.html"), 400, false, ""); err == nil || !strings.Contains(err.Error(), "none.html") {
		t.Errorf("a file that is not there: %v", err)
	}
}
