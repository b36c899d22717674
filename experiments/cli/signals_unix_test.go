//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/must"
)

// blocked is an input from which nothing comes. It is called at a read.
type blocked func()

// Read waits for ever.
func (b blocked) Read([]byte) (int, error) {
	b()
	select {}
}

// fifoTries is how long a command has to open a named pipe before the signal.
const fifoTries = 30 * time.Millisecond

// TestSignals_EndEveryReadThatBlocks of a command: of standard input, or, where the line says PIPE, of a named pipe to which nobody
// writes. A command without an entry fails the test.
func TestSignals_EndEveryReadThatBlocks(t *testing.T) {
	dir := t.TempDir()
	filter, store, pipe := built(t, dir, "f.nest", "a\n", "--fpr", rare), filepath.Join(dir, "store"), filepath.Join(dir, "pipe")
	runLog(t, exitOK, "put", store, "ant", "6 legs")
	report := filepath.Join(dir, "report")
	must.Do(t, os.Mkdir(report, 0o777))
	for _, name := range []string{pipe, filepath.Join(report, "manifest.json")} {
		must.Do(t, syscall.Mkfifo(name, 0o600))
	}
	const nothing = "" // is read that could block
	reads := map[string][]string{
		"uniq": {"uniq", "uniq PIPE"}, "filter query": {"filter query FILTER", "filter query FILTER PIPE", "filter query PIPE " + filter},
		"filter build": {"filter build -o OUT", "filter build -o OUT PIPE", "filter build -o OUT --hash siphash --key-file PIPE"},
		"filter info":  {"filter info -", "filter info PIPE"}, "chart": {"chart - -o OUT.svg", "chart PIPE -o OUT.svg"},
		"filter convert": {"filter convert - -o OUT", "filter convert PIPE -o OUT", "filter convert PIPE -o OUT --from parquet --offset 0"},
		"filter merge":   {"filter merge FILTER PIPE -o OUT"}, "bench": {"bench --keys - -o OUT", "bench --keys PIPE -o OUT"},
		"trace": {"trace --keys -", "trace --keys PIPE"}, "size": {nothing}, "sweep": {nothing}, "page": {nothing},
		"report diff": {"report diff REPORT REPORT"}, "report verify": {"report verify REPORT"}, "report redraw": {"report redraw REPORT"},
		"reproduce":  {"reproduce --profile tiny --only fig3 --out OUT --earlier REPORT"},
		"redis push": {"redis push --keys - 127.0.0.1:1 key", "redis push --keys PIPE 127.0.0.1:1 key"},
		"redis pull": {nothing}, "redis info": {nothing},
		"log import": {"log import - STORE", "log import PIPE STORE"}, "log put": {"log put STORE key"},
		"log get": {nothing}, "log export": {nothing}, "log delete": {nothing}, "log stats": {nothing}, "log compact": {nothing}, "log check": {nothing},
	}
	words := strings.NewReplacer("FILTER", filter, "STORE", store, "PIPE", pipe, "OUT", filepath.Join(dir, "out"), "REPORT", report)
	for _, cmd := range commands() {
		name := strings.Join(pathOf(cmd), " ")
		if cmd.HasSubCommands() || cmd.Name() == "help" || strings.HasPrefix(name, "completion ") {
			continue
		}
		if reads[name] == nil {
			t.Errorf("nest %s is not in the table", name)
		}
		for _, line := range reads[name] {
			if line == nothing {
				continue
			}
			ctx, cancel := context.WithCancel(t.Context())
			if strings.Contains(line, "PIPE") || strings.Contains(line, "REPORT") {
				time.AfterFunc(fifoTries, cancel)
			}
			ended := make(chan string, 1)
			go func() {
				status, stderr := runOn(ctx, blocked(cancel), io.Discard, strings.Fields(words.Replace(line))...)
				ended <- fmt.Sprint(status, " ", stderr)
			}()
			select {
			case said := <-ended:
				if !strings.HasPrefix(said, "130 nest: interrupted, ") {
					t.Errorf("nest %s: %s", line, said)
				}
			case <-time.After(10 * time.Second):
				t.Errorf("nest %s goes on", line)
			}
			cancel()
		}
	}
	holds(t, dir, "f.nest pipe report store")
	says(t, exitOK, "6 legs", "", "log", "get", store, "ant")
}

// asCommand makes the test binary the command nest with these arguments, one a line, for tests of what only a
// process of its own shows, or, where it is deaf, a command that looks at no signal.
const (
	asCommand = "NEST_TEST_COMMAND"
	deaf      = "deaf"
)

func TestSignals_ProcessForOtherTests(t *testing.T) {
	switch args := os.Getenv(asCommand); args {
	case "":
	case deaf:
		_, _ = untilSignal()
		fmt.Println("ready")
		select {}
	default:
		os.Exit(mainOf(strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
}

// process is nest with these arguments in a process of its own, which a shell begins with what is said before it.
func process(t *testing.T, before string, args ...string) *exec.Cmd {
	t.Helper()
	program := must.Get(os.Executable())(t)
	cmd := exec.CommandContext(t.Context(), "sh", "-c",
		before+` exec "$0" "-test.run=^TestSignals_ProcessForOtherTests$"`, program)
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(args, "\n"))
	return cmd
}

// endsBySignals sends each signal twice at once, as timeout(1) does, one after the other, and holds the process to end:
// of the first with status 130, of the second by itself.
func endsBySignals(t *testing.T, cmd *exec.Cmd, signals ...os.Signal) {
	t.Helper()
	for i, s := range signals {
		if i > 0 {
			time.Sleep(3 * sameSignal)
		}
		_ = cmd.Process.Signal(s)
		if err := cmd.Process.Signal(s); i < len(signals)-1 && err != nil {
			t.Fatal(err)
		}
	}
	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	err := cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || len(signals) == 1 && status.ExitStatus() != exitInterrupted || len(signals) == 2 && status.Signal() != signals[1] {
		t.Errorf("%v after %v", err, signals)
	}
}

// TestSignals_TheSecondEndsAnyCommand also one that looks at none. The first does not.
func TestSignals_TheSecondEndsAnyCommand(t *testing.T) {
	for _, second := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := process(t, "", deaf)
		stdout := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		must.Get(bufio.NewReader(stdout).ReadString('\n'))(t)
		endsBySignals(t, cmd, os.Interrupt, second)
	}
}

// TestSignals_EndAPutThatWaits for its value: the first signal does.
func TestSignals_EndAPutThatWaits(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		r, w, err := os.Pipe()
		must.Do(t, err)
		cmd := process(t, "", "log", "put", store, "key")
		cmd.Stdin = r
		must.Do(t, cmd.Start())
		must.Get(w.Write(make([]byte, 1<<20)))(t) // more than a pipe holds: the command reads
		endsBySignals(t, cmd, s)
		r.Close()
		w.Close()
	}
	if _, err := os.Stat(store); err == nil {
		t.Error("a store was made")
	}
}

// As cat does, the commands die of SIGPIPE and say nothing, where standard output is closed after a byte.
func TestUniq_EarlyClosedPipe(t *testing.T) {
	dir := t.TempDir()
	// More than the pipe and the buffers on its way hold.
	file := writeKeys(t, dir, "long.txt", strings.Repeat("z", 1<<20)+"\n")
	filter := built(t, dir, "f.nest", "a\n", "--fpr", rare)
	for _, args := range [][]string{{"uniq", file}, {"filter", "query", "-v", filter, file}} {
		cmd := process(t, "", args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		if first, err := bufio.NewReaderSize(stdout, 16).ReadByte(); first != 'z' || err != nil {
			t.Errorf("%q: the first byte is %q, %v", args, first, err)
		}
		stdout.Close()
		err := cmd.Wait()
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
			t.Errorf("%q: %v, %q, want an end by SIGPIPE without a word", args, err, stderr.String())
		}
	}
}

// TestLog_AFullDiskIsSaidOnce: a failed import prints its error once, and the name is what it was. The disk is full since no file may have
// more than a block.
func TestLog_AFullDiskIsSaidOnce(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "file"), filepath.Join(dir, "store")
	writeKeys(t, dir, "file", "old\n")
	runLog(t, exitOK, "import", file, store)
	writeKeys(t, dir, "file", strings.Repeat("new text\nand other lines\n", 4<<10))
	cmd := process(t, "ulimit -f 1;", "log", "import", file, store)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != exitUsage || strings.Count(stderr.String(), "file too large") != 1 {
		t.Errorf("%v: %s", err, &stderr)
	}
	if out, _ := runLog(t, exitOK, "export", store, "-"); out != "old\n" {
		t.Errorf("the name stands for %.40q", out)
	}
}

// TestLog_ReadersDoNotWrite: they run where a store was opened to be read already, and leave a torn tail.
func TestLog_ReadersDoNotWrite(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	runLog(t, exitOK, "put", store, "ant", "6 legs")
	log := filepath.Join(store, "0000.log")
	torn := readAll(t, log) + "torn"
	writeKeys(t, store, "0000.log", torn)
	for _, line := range []string{"get STORE ant", "stats STORE", "check STORE"} {
		if _, e := runLog(t, exitOK, strings.Fields(strings.ReplaceAll(line, "STORE", store))...); !strings.Contains(e, "left out") {
			t.Errorf("%s: %s", line, e)
		}
	}
	if readAll(t, log) != torn {
		t.Error("a command that reads has written")
	}
	says(t, exitOK, "", "cut off", "log", "put", store, "bee", "6 legs")
}

func reproduceArgs(out string) []string {
	return strings.Fields("reproduce --profile tiny --only fig2,fig3 --formats svg --workers 2 --out " + out)
}

// killedAt runs the command until its kept trials of figure 2 take so many bytes, and kills it then. It reports whether
// the command ended before.
func killedAt(t *testing.T, out string, bytes int64) (ended bool) {
	t.Helper()
	cmd := process(t, "", reproduceArgs(out)...)
	must.Do(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			must.Do(t, err)
			return true
		case <-time.After(time.Millisecond):
		}
		if info, err := os.Stat(out + ".partial"); err == nil && info.Size() >= bytes {
			_ = cmd.Process.Kill() // it may have ended by itself
			return <-done == nil || content(t, out) != ""
		}
	}
}

// A command that is killed at random points, and started again each time, ends with the bytes of one that is not.
func TestReproduce_GoesOnAfterKills(t *testing.T) {
	dir := t.TempDir()
	says(t, exitOK, "", "", reproduceArgs(filepath.Join(dir, "whole"))...)
	const (
		seed      = 5
		keptBytes = 20_000 // of all trials, roughly: beyond half of it nobody kills, for the report must be whole
	)
	r := rand.New(rand.NewPCG(seed, 0))
	out := filepath.Join(dir, "killed")
	kills := 0
	for at := r.Int64N(keptBytes / 16); !killedAt(t, out, at); at += r.Int64N(keptBytes / 4) {
		if kills++; at > keptBytes/2 {
			at = math.MaxInt64 / 2
		}
	}
	t.Logf("seed %d: %d kills", seed, kills)
	if kills == 0 {
		t.Error("the command was never killed")
	}
	alike(t, filepath.Join(dir, "whole"), out, "fig2.csv", "fig3.csv", "verdicts.csv")
	holds(t, dir, "killed whole")
}
