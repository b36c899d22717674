// Package site makes the page of nest page: it compiles the program in it, packs it for browsers, and serves it.
package site

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var (
	//go:embed index.html
	document []byte
	//go:embed page.js
	script []byte
)

// The files of a page.
const (
	indexFile   = "index.html"
	scriptFile  = "page.js"      // what Go supports its programs with in a browser, and the page's own script
	programFile = "nest.wasm.js" // the WebAssembly in gzip and base64: a browser may load a script from a disk
)

// Module is the path of the module of which this package is a part.
const Module = "github.com/nestfilter/nest"

// A Site is the page as files, which any server of files serves and most browsers open from a disk.
type Site struct {
	files map[string][]byte
	// Wasm is the number of bytes of the program, and Compressed that of its compressed form.
	Wasm, Compressed int
}

// Build compiles the page with the go command, from the module's source: that of the module or workspace of the working
// directory if it is this module or requires it, or else of the given version, which the go command fetches. It takes
// some seconds, and the first time half a minute or more. An error is one line that says what to do.
func Build(ctx context.Context, version string) (*Site, error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("page: the page is compiled with the go command, and there is none: install Go from " +
			"https://go.dev/dl and try again")
	}
	source, err := findSource(ctx, goCommand, version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nest-page")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "nest.wasm")
	if _, err := run(ctx, goCommand, source, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out,
		"./experiments/page/wasm"); err != nil {
		return nil, fmt.Errorf("page: the page could not be compiled in %s: %w", source, err)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	root, err := run(ctx, goCommand, source, "env", "GOROOT")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("page: this installation of Go lacks what its programs need in a browser: %w", err)
	}
	return newSite(wasm, support), nil
}

// newSite packs a program and its support.
func newSite(wasm, support []byte) *Site {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // which is a level
	z.Write(wasm)                                              // into memory, which does not fail
	z.Close()
	program := fmt.Appendf(nil, "var nestWasm = %q;\n", base64.StdEncoding.EncodeToString(packed.Bytes()))
	return &Site{Wasm: len(wasm), Compressed: packed.Len(), files: map[string][]byte{
		indexFile: document, scriptFile: bytes.Join([][]byte{support, script}, []byte("\n")), programFile: program,
	}}
}

// findSource returns the folder of the module's source.
func findSource(ctx context.Context, goCommand, version string) (string, error) {
	here, err := run(ctx, goCommand, "", "list", "-m", "-f", "{{.Dir}}", Module)
	if dir := strings.TrimSpace(here); err == nil && dir != "" {
		return dir, nil
	}
	fetched, err := run(ctx, goCommand, os.TempDir(), "mod", "download", "-json", Module+"@"+version)
	var answer struct{ Dir string }
	if err == nil {
		err = json.Unmarshal([]byte(fetched), &answer)
	}
	if err != nil || answer.Dir == "" {
		return "", fmt.Errorf("page: the page is compiled from the source of nest, and there is none here nor of version "+
			"%s: run the command in a clone of nest, or in a module that requires %s", version, Module)
	}
	return answer.Dir, nil
}

// run runs the go command in a folder and returns what it prints. The error has the first lines of what it complains
// of.
func run(ctx context.Context, goCommand, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Dir = dir
	if args[0] == "build" {
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		var lines []string
		for line := range strings.Lines(string(failed.Stderr)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && len(lines) < 3 {
				lines = append(lines, line)
			}
		}
		err = fmt.Errorf("go %s: %w: %s", args[0], err, strings.Join(lines, "; "))
	}
	return string(out), err
}

// Write writes the files into a folder that exists.
func (s *Site) Write(dir string) error {
	for name, data := range s.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("page: %w", err)
		}
	}
	return nil
}

// ServeHTTP serves the page, and nothing else. Methods but GET and HEAD get status 405. [Own] keeps it to the server's
// address.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = indexFile
	}
	data, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", map[bool]string{true: "text/html", false: "text/javascript"}[name == indexFile]+
		"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(data) // a browser that has gone away needs nothing
}
