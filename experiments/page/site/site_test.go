package site

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxCompressed is what the program may have at most, so that a page loads within a second or two anywhere.
const maxCompressed = 4 << 20

func TestBuild_FilesAndSize(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	page, err := built()
	check(t, err)
	if page.Compressed > maxCompressed || page.Compressed < 1<<18 || page.Wasm < page.Compressed {
		t.Errorf("%d bytes of WebAssembly, %d compressed", page.Wasm, page.Compressed)
	}
	t.Logf("%d bytes of WebAssembly, %d compressed", page.Wasm, page.Compressed)
	server := httptest.NewServer(page)
	defer server.Close()
	dir := t.TempDir()
	check(t, page.Write(dir))
	for name, typ := range map[string]string{"": "text/html", "index.html": "text/html", "page.js": "text/javascript",
		"nest.wasm.js": "text/javascript", "other": "text/plain"} {
		answer, err := http.Get(server.URL + "/" + name)
		check(t, err)
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
	if _, err := Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(),
		"run the command in a clone of nest") || strings.Contains(err.Error(), "\n") {
		t.Errorf("outside a module: %v", err)
	}
	// A clone that lacks the program.
	check(t, os.WriteFile("go.mod", []byte("module "+Module+"\n\ngo 1.26.0\n"), 0o600))
	if _, err := Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(),
		"could not be compiled") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a module without it: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(t.Context(), "v0.0.0"); err == nil || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("without a go command: %v", err)
	}
}

// Every text stands in the document in both languages, side by side.
func TestDocument_BothLanguages(t *testing.T) {
	data, err := os.ReadFile("index.html")
	check(t, err)
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
	for _, c := range []struct {
		host, local, name string // name is none if empty
		want              bool
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", "", true},
		{"localhost:8080", "127.0.0.1:8080", "", true},
		{"LOCALHOST:8080", "127.0.0.1:8080", "", true},
		{"[::1]:8080", "[::1]:8080", "", true},
		{"192.0.2.7:8080", "192.0.2.7:8080", "0.0.0.0", true},
		{"lab.example:8080", "192.0.2.7:8080", "Lab.example", true},
		{"[::]:8080", "[::1]:8080", "::", true},
		{"localhost", "127.0.0.1:80", "", true},
		{"[::1]", "[::1]:80", "", true},
		{"evil.example:8080", "127.0.0.1:8080", "", false},
		{"evil.example", "127.0.0.1:80", "", false},
		{"localhost.evil.example:8080", "127.0.0.1:8080", "", false},
		{"127.0.0.1:8081", "127.0.0.1:8080", "", false},
		{"127.0.0.1", "127.0.0.1:8080", "", false},
		{"192.0.2.7:8080", "127.0.0.1:8080", "", false},
		{":8080", "127.0.0.1:8080", "", false},
		{"", "127.0.0.1:8080", "", false},
		{"", "", "", false},
	} {
		if got := isOwn(c.host, c.local, []string{net.JoinHostPort(c.name, "0")}); got != c.want {
			t.Errorf("%q at %q, called %q: %v", c.host, c.local, c.name, got)
		}
	}
}

// TestOwn_RefusesOtherNames asks a server under its own name and under that of another, and with other methods than
// GET and HEAD.
func TestOwn_RefusesOtherNames(t *testing.T) {
	server := httptest.NewServer(Own(newSite([]byte("program"), []byte("support")), "127.0.0.1:0"))
	defer server.Close()
	for _, c := range []struct {
		method, host string
		status       int
	}{
		{"GET", "", http.StatusOK},
		{"HEAD", "", http.StatusOK},
		{"GET", "evil.example", http.StatusMisdirectedRequest},
		{"GET", "evil.example:80", http.StatusMisdirectedRequest},
		{"POST", "evil.example", http.StatusMisdirectedRequest},
		{"POST", "", http.StatusMethodNotAllowed},
		{"OPTIONS", "", http.StatusMethodNotAllowed},
		{"DELETE", "", http.StatusMethodNotAllowed},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL, nil)
		check(t, err)
		request.Host = c.host
		answer, err := http.DefaultClient.Do(request)
		check(t, err)
		answer.Body.Close()
		allow, refused := answer.Header.Get("Allow"), c.status == http.StatusMethodNotAllowed
		if answer.StatusCode != c.status || (allow == "GET, HEAD") != refused {
			t.Errorf("%s of %q: %s, Allow %q", c.method, c.host, answer.Status, allow)
		}
	}
}
