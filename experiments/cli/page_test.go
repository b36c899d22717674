package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
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
	for _, more := range []string{"--force=false", "--force"} {
		says(t, exitOK, "MiB compressed", "", "page", "--out", dir, more)
	}
	if n := len(strings.Fields(content(t, dir))); n != 3 {
		t.Errorf("%d files", n)
	}
	says(t, exitUsage, "", "is not empty; --force replaces", "page", "--out", dir)
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
