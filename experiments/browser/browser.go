// Package browser drives a headless Chromium for tests of pages: it clicks, types and looks as a reader does. It speaks the
// DevTools protocol (chromedevtools.github.io/devtools-protocol) over a pair of pipes, which needs no port and no package
// beside the standard library.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// ErrNone is wrapped by the error of Find where no browser is installed.
var ErrNone = errors.New("no Chromium is installed")

// Find returns the path of a Chromium, or ErrNone.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("browser: %w", ErrNone)
}

// A Browser is a running Chromium. It ends with Close.
type Browser struct {
	cmd     *exec.Cmd
	profile string
	to      *os.File
	stop    context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	last    int
	waiting map[int]chan<- message
	onEvent func(message)
}

// A message is what goes through the pipes: a command, its answer, or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts a Chromium, whose path is given, with an empty profile.
func Start(ctx context.Context, chromium string) (*Browser, error) {
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	in, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	b := &Browser{profile: profile, to: to, stop: stop, ended: make(chan struct{}), waiting: map[int]chan<- message{}, onEvent: func(message) {}}
	b.cmd = exec.CommandContext(ctx, chromium, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir="+profile, "about:blank")
	b.cmd.ExtraFiles = []*os.File{in, out} // which are 3 and 4 there
	b.cmd.WaitDelay = 5 * time.Second
	err = b.cmd.Start()
	in.Close()
	out.Close()
	if err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("browser: %w", err), to.Close(), from.Close(), os.RemoveAll(profile))
	}
	go b.listen(from)
	return b, nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() {
	b.stop()
	_ = b.cmd.Wait() // it was killed
	b.to.Close()
	<-b.ended
	os.RemoveAll(b.profile)
}

// listen hands messages to those who wait for them until the browser ends.
func (b *Browser) listen(from *os.File) {
	defer close(b.ended)
	defer from.Close()
	r := bufio.NewReaderSize(from, 1<<16)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			for id, answer := range b.waiting {
				close(answer)
				delete(b.waiting, id)
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		var m message
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		answer, onEvent := b.waiting[m.ID], b.onEvent
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		if answer != nil {
			answer <- m
		} else if m.Method != "" {
			onEvent(m)
		}
	}
}

// call sends a command and decodes its answer into result, unless that is nil.
func (b *Browser) call(session, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("browser: %s: %w", method, err)
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.waiting == nil {
		b.mu.Unlock()
		return fmt.Errorf("browser: %s: the browser has ended", method)
	}
	b.last++
	m := message{ID: b.last, SessionID: session, Method: method, Params: data}
	b.waiting[m.ID] = answer
	data, err = json.Marshal(m)
	if err == nil {
		_, err = b.to.Write(append(data, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("browser: %s: %w", method, err)
	}
	select {
	case got, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("browser: %s: %w", method, io.ErrUnexpectedEOF)
		case got.Error != nil:
			return fmt.Errorf("browser: %s: %s", method, got.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(got.Result, result)
	case <-time.After(patience):
		return fmt.Errorf("browser: %s: no answer within %v", method, patience)
	}
}

// patience bounds every wait: an idle machine takes a moment, a busy one ten times as long.
const patience = 2 * time.Minute
