// Package site makes the page of nest page: it compiles the program in it, packs it for browsers, and serves it.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	s, err := build(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return s, nil
}

func build(ctx context.Context, version string) (*Site, error) {
	source, err := findSource(ctx, version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nest-page")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "nest.wasm")
	if _, err := run(ctx, source, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out,
		"./experiments/page/wasm"); err != nil {
		return nil, fmt.Errorf("the page could not be compiled in %s: %w", source, err)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	root, err := run(ctx, source, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("this installation of Go lacks what its programs need in a browser: %w", err)
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
func findSource(ctx context.Context, version string) (string, error) {
	here, err := run(ctx, "", "list", "-m", "-f", "{{.Dir}}", Module)
	if here != "" || errors.Is(err, exec.ErrNotFound) {
		return here, err
	}
	fetched, err := run(ctx, os.TempDir(), "mod", "download", "-json", Module+"@"+version)
	var answer struct{ Dir string }
	if err == nil {
		err = json.Unmarshal([]byte(fetched), &answer)
	}
	if err != nil || answer.Dir == "" {
		return "", fmt.Errorf("the page is compiled from the source of nest, and there is none here nor of version %s: "+
			"run the command in a clone of nest, or in a module that requires %s", version, Module)
	}
	return answer.Dir, nil
}

// run runs the go command in a folder and returns what it prints. The error has the beginning of what it complains of.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	if args[0] == "build" {
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("go %s: %w: %.300s", args[0], err, strings.Join(strings.Fields(string(failed.Stderr)), " "))
	} else if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("the page is compiled with the go command: install Go from https://go.dev/dl and try again: %w", err)
	}
	return strings.TrimSpace(string(out)), err
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

// ServeHTTP serves the page alone. Methods but GET and HEAD get status 405. [Own] keeps it to the server's address.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), indexFile)
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

// Own is next for requests that name the server's own address: localhost, or the address at which the connection came
// in, or one of those given, such as lab.example:8080 and [::]:8080, each with the server's port. Other requests get
// status 421. A page elsewhere can give its own name the address of this machine and then ask in the name of its
// visitor (DNS rebinding), but its requests still carry its name.
func Own(next http.Handler, given ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !ok || !isOwn(r.Host, local.String(), given) {
			http.Error(w, "this server does not answer under that name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwn tells whether the Host of a request names the server: local is where its connection came in.
func isOwn(host, local string, given []string) bool {
	_, port, err := net.SplitHostPort(local)
	return err == nil && slices.ContainsFunc(slices.Concat(given, []string{local, "localhost:"}), func(own string) bool {
		name, _, _ := net.SplitHostPort(own)
		own = net.JoinHostPort(name, port)
		return name != "" && (strings.EqualFold(host, own) || port == "80" && strings.EqualFold(host+":80", own))
	})
}
