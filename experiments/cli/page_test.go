package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

func TestPage_WritesAFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	dir := filepath.Join(t.TempDir(), "lesson")
	for _, args := range [][]string{{"--out", dir}, {"--out", dir, "--force"}} {
		stdout, err := executeOne(t, newPageCommand(), "", args...)
		if err != nil || !strings.Contains(stdout, "MiB compressed") || !strings.Contains(stdout, "index.html in a browser") {
			t.Fatalf("%v\n%s", err, stdout)
		}
	}
	if n := filesIn(t, dir); n != 3 {
		t.Errorf("%d files", n)
	}
	if _, err := executeOne(t, newPageCommand(), "", "--out", dir); err == nil || !strings.Contains(err.Error(), "is not empty; --force replaces") {
		t.Errorf("a second time: %v", err)
	}
}

// The address is printed once the page can be asked for; an interrupt ends the command in good order.
func TestPage_ServesUntilInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, sink := io.Pipe()
	status := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		status <- runCommand(ctx, newRootCommand(experiments.Default()), []string{"page", "--serve"}, sink, &stderr)
		sink.Close()
	}()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: status %d, %s", err, <-status, &stderr)
	}
	go io.Copy(io.Discard, stdout)
	answer, err := http.Get(strings.TrimSpace(address))
	if err != nil || answer.StatusCode != http.StatusOK || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%s: %v", address, err)
	}
	answer.Body.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(address), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	if answer, err = http.DefaultClient.Do(request); err != nil || answer.StatusCode != http.StatusMisdirectedRequest {
		t.Fatalf("under another name: %v, %v", answer, err)
	}
	answer.Body.Close()
	cancel()
	if got := <-status; got != exitOK || !strings.Contains(stderr.String(), "compressed") {
		t.Errorf("status %d, %s", got, &stderr)
	}
}

func TestPage_BadInput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                               "[out serve] is required",
		"--out x --serve":                "[out serve] were all set",
		"--out " + dir:                   "is not empty",
		"--out " + file:                  "--out: ",
		"--serve=nowhere:none":           "--serve: ",
		"--serve=192.0.2.1:1":            "--serve: ",
		"somewhere":                      "unknown command",
		"--serve=127.0.0.1:99999 --size": "unknown flag",
	} {
		stdout, err := executeOne(t, newPageCommand(), "", strings.Fields(args)...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%s: %v, want one line with %q", args, err, want)
		}
	}
	if n := filesIn(t, dir); n != 1 {
		t.Errorf("%d files were left behind", n)
	}
}
