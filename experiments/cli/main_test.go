package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/must"
)

// mainOf runs the command with nothing added to it.
func mainOf(args []string, stdout, stderr io.Writer) int {
	return Main(experiments.Default(), args, stdout, stderr)
}

// runOn runs nest under a context with a standard input and output, and returns the exit status and what it said.
func runOn(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) (status int, stderr string) {
	var errs bytes.Buffer
	root := newRootCommand(experiments.Default())
	root.SetIn(stdin)
	status = runCommand(ctx, root, args, stdout, &errs)
	return status, errs.String()
}

// executeIn is runOn of a text that also returns what it printed.
func executeIn(ctx context.Context, stdin string, args ...string) (status int, stdout, stderr string) {
	var out bytes.Buffer
	status, stderr = runOn(ctx, strings.NewReader(stdin), &out, args...)
	return status, out.String(), stderr
}

// execute is executeIn that nobody interrupts.
func execute(t testing.TB, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return executeIn(t.Context(), stdin, args...)
}

// runNest is execute without an input.
func runNest(args ...string) (status int, stdout, stderr string) {
	return executeIn(context.Background(), "", args...)
}

// says runs a command line that must end with that status, and print and say something with these texts.
func says(t testing.TB, status int, out, err string, args ...string) (stdout, stderr string) {
	t.Helper()
	got, stdout, stderr := runNest(args...)
	if got != status || !strings.Contains(stdout, out) || !strings.Contains(stderr, err) {
		t.Errorf("%q: status %d, want %d with %q and %q:\n%s\n%s", args, got, status, out, err, stdout, stderr)
	}
	return stdout, stderr
}

// expect runs a command line that must end with that status, print that, and say nothing but one line that has a text.
func expect(t testing.TB, stdin string, args []string, status int, stdout, stderr string) {
	t.Helper()
	gotStatus, gotOut, gotErr := execute(t, stdin, args...)
	if gotStatus != status || gotOut != stdout || !strings.Contains(gotErr, stderr) || (stderr == "") != (gotErr == "") ||
		strings.Count(gotErr, "\n") > 1 {
		t.Errorf("%q: status %d, printed %q, said %q; want %d, %q, one line with %q",
			args, gotStatus, gotOut, gotErr, status, stdout, stderr)
	}
}

// has tells of each text whether it is in what was printed.
func has(t testing.TB, printed string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in\n%s", want, printed)
		}
	}
}

// built has nest filter build make a filter of lines and returns its name.
func built(t testing.TB, dir, name, lines string, args ...string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	expect(t, lines, append([]string{"filter", "build", "-q", "--force", "-o", file}, args...), exitOK, "", "")
	return file
}

// writeKeys makes a file of the text and returns its name.
func writeKeys(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// readAll is the text of a file.
func readAll(t testing.TB, name string) string {
	t.Helper()
	data := must.Get(os.ReadFile(name))(t)
	return string(data)
}

// holds compares the names of the files in a folder.
func holds(t testing.TB, dir, want string) {
	t.Helper()
	if got := content(t, dir); got != want {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// alike holds files of two folders to the same bytes.
func alike(t testing.TB, a, b string, names ...string) {
	t.Helper()
	for _, name := range names {
		if readAll(t, filepath.Join(a, name)) != readAll(t, filepath.Join(b, name)) {
			t.Errorf("%s differs in %s and %s", name, a, b)
		}
	}
}

// content lists a folder, "" if there is none.
func content(t testing.TB, dir string) string {
	t.Helper()
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// interruptBlockedRead runs a command on an input of which it should write the lines a and b, and interrupts it then,
// while it waits for more.
func interruptBlockedRead(t *testing.T, input string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stdin, source := io.Pipe()
	defer source.Close()
	stdout, sink := io.Pipe()
	go func() {
		io.WriteString(source, input)
		io.ReadFull(stdout, make([]byte, len("a\nb\n"))) // arrives while the input is still open
		cancel()
	}()
	status, stderr := runOn(ctx, stdin, sink, args...)
	if want := "nest: interrupted, 2 lines were written\n"; status != exitInterrupted || stderr != want {
		t.Errorf("status %d, %q, want %q", status, stderr, want)
	}
}
