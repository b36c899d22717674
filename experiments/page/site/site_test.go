package site_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/page/site"
)

// maxCompressed is what the program may have at most, so that a page loads within a second or two anywhere.
const maxCompressed = 4 << 20

func TestBuild_FilesAndSize(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	built, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if built.Compressed > maxCompressed || built.Compressed < 1<<18 || built.Wasm < built.Compressed {
		t.Errorf("%d bytes of WebAssembly, %d compressed", built.Wasm, built.Compressed)
	}
	t.Logf("%d bytes of WebAssembly, %d compressed", built.Wasm, built.Compressed)
	server := httptest.NewServer(built)
	defer server.Close()
	dir := t.TempDir()
	if err := built.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, typ := range map[string]string{"": "text/html", "index.html": "text/html", "page.js": "text/javascript",
		"nest.wasm.js": "text/javascript", "other": "text/plain"} {
		answer, err := http.Get(server.URL + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
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
	if err := built.Write(filepath.Join(dir, "none")); err == nil {
		t.Error("wrote into a folder that is not there")
	}
}

func TestBuild_SaysWhatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOPROXY", "off")
	if _, err := site.Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(),
		"run the command in a clone of nest") || strings.Contains(err.Error(), "\n") {
		t.Errorf("outside a module: %v", err)
	}
	// A clone that lacks the program.
	if err := os.WriteFile("go.mod", []byte("module "+site.Module+"\n\ngo 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := site.Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(),
		"could not be compiled") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a module without it: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := site.Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("without a go command: %v", err)
	}
}

// Every text stands in the document in both languages, side by side.
func TestDocument_BothLanguages(t *testing.T) {
	data, err := os.ReadFile("index.html")
	if err != nil {
		t.Fatal(err)
	}
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
