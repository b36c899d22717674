package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
)

// executeUniq runs nest uniq through the root command and returns the exit status and what it printed.
func executeUniq(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRootCommand(experiments.Default())
	root.SetIn(strings.NewReader(stdin))
	status = runCommand(t.Context(), root, append([]string{"uniq"}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestUniq_FilesInOrder(t *testing.T) {
	dir := t.TempDir()
	one := writeKeys(t, dir, "one.txt", "b\na\nb")
	two := writeKeys(t, dir, "two.txt", "c\r\nc\na\n\n")
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"x\ny\nx", nil, "x\ny\n"},
		{"x\ny\nx", []string{"-"}, "x\ny\n"},
		{"", nil, ""},
		{"a\nx", []string{one, "-", two, one, "-"}, "b\na\nx\nc\r\nc\n\n"},
		{"a\nb\na", []string{"--capacity", "1", "--grow"}, "a\nb\n"},
		{"a\nb\na", []string{"--capacity", "2", "--hash", "siphash", "--fpr", "0.00000001"}, "a\nb\n"},
	} {
		status, stdout, stderr := executeUniq(t, c.stdin, c.args...)
		if status != exitOK || stdout != c.want || strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, " lines read, ") {
			t.Errorf("%q: status %d, %q, want %q\n%s", c.args, status, stdout, c.want, stderr)
		}
		if _, stdout, stderr := executeUniq(t, c.stdin, append(c.args, "--quiet")...); stdout != c.want || stderr != "" {
			t.Errorf("%q quietly: %q, %q", c.args, stdout, stderr)
		}
	}
}

func TestUniq_ReportsCounts(t *testing.T) {
	_, _, stderr := executeUniq(t, "a\nb\na\n", "--capacity", "2", "--fpr", "0.001")
	want := `3 lines read, 2 kept, 1 dropped; expected among the dropped: 0.000489 new ones
a filter of 14 bytes, load factor 0.500, false-positive rate now 0.0977% (1 in 1024)
`
	if stderr != want {
		t.Errorf("%s, want\n%s", stderr, want)
	}
}

func TestUniq_StopsAtCapacity(t *testing.T) {
	status, stdout, stderr := executeUniq(t, "a\nb\na\nc\nd\n", "--capacity", "2", "-q")
	want := "nest: uniq: standard input:4: the capacity is passed: 2 distinct lines are kept already; announce more with --capacity, or add --grow\n"
	if status != exitUsage || stdout != "a\nb\n" || stderr != want {
		t.Errorf("status %d, %q, %s", status, stdout, stderr)
	}
	if _, _, stderr = executeUniq(t, "a\nb\na\nc\nd\n", "--capacity", "2"); !strings.HasPrefix(stderr, "3 lines read, 2 kept") || !strings.HasSuffix(stderr, want) {
		t.Error(stderr)
	}
}

func TestUniq_BadInput(t *testing.T) {
	dir := t.TempDir()
	good := writeKeys(t, dir, "good.txt", "a\n")
	missing := filepath.Join(dir, "missing.txt")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{good, missing}, "uniq: " + missing + ": no such file"},
		{[]string{good, dir}, "uniq: " + dir + ": is a directory"},
		{[]string{good, ""}, "no such file"},
		{[]string{"--fpr", "0"}, `--fpr: "0": want`},
		{[]string{"--fpr", "1%"}, `--fpr: "1%": want`},
		{[]string{"--fpr", "1e-30"}, "no filter for 1048576 lines reaches a rate of 1e-30: "},
		{[]string{"--capacity", "0"}, `"--capacity" flag: want a whole number`},
		{[]string{"--capacity", "-5"}, `"--capacity" flag: want a whole number`},
		{[]string{"--capacity", "many"}, `"--capacity" flag: want a whole number`},
		{[]string{"--capacity", "1e15"}, `"--capacity" flag: want a whole number`},
		{[]string{"--grow=false"}, "--capacity"},
		{[]string{"--hash", "md5"}, `--hash: hashing: unknown hash family "md5"`},
		{[]string{"--hash", "tabulation"}, `--hash: hashing: unknown hash family "tabulation"`},
		{[]string{"--hash", "digests"}, `--hash: hashing: digests is no hash family`},
		{[]string{"--nonsense"}, "--nonsense"},
	} {
		status, stdout, stderr := executeUniq(t, "a\n", c.args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, printed %q; %q, want one line with %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

// What was kept before the interrupt is out already, although the input has not ended.
func TestUniq_InterruptEndsBlockedRead(t *testing.T) {
	interruptBlockedRead(t, "a\nb\na\nhalf of a li", "uniq", "-q")
}
