package cli

import (
	"strings"
	"testing"
)

func TestUniq_FilesInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeKeys(t, ".", "one", "b\na\nb")
	writeKeys(t, ".", "two", "c\r\nc\na\n\n")
	for _, c := range []struct{ stdin, args, want string }{
		{"x\ny\nx", "uniq", "x\ny\n"},
		{"x\ny\nx", "uniq -", "x\ny\n"},
		{"", "uniq", ""},
		{"a\nx", "uniq one - two one -", "b\na\nx\nc\r\nc\n\n"},
		{"a\nb\na", "uniq --capacity 1 --grow", "a\nb\n"},
		{"a\nb\na", "uniq --capacity 2 --hash siphash --fpr 0.00000001", "a\nb\n"},
	} {
		status, stdout, stderr := execute(t, c.stdin, strings.Fields(c.args)...)
		if status != exitOK || stdout != c.want || strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, " lines read, ") {
			t.Errorf("%q: status %d, %q, want %q\n%s", c.args, status, stdout, c.want, stderr)
		}
		expect(t, c.stdin, strings.Fields(c.args+" --quiet"), exitOK, c.want, "")
	}
}

func TestUniq_ReportsCounts(t *testing.T) {
	_, _, stderr := execute(t, "a\nb\na\n", "uniq", "--capacity", "2", "--fpr", "0.001")
	want := `3 lines read, 2 kept, 1 dropped; expected among the dropped: 0.000489 new ones
a filter of 14 bytes, load factor 0.500, false-positive rate now 0.0977% (1 in 1024)
`
	if stderr != want {
		t.Errorf("%s, want\n%s", stderr, want)
	}
}

func TestUniq_StopsAtCapacity(t *testing.T) {
	want := "nest: uniq: standard input:4: the capacity is passed: 2 distinct lines are kept already; " +
		"announce more with --capacity, or add --grow\n"
	expect(t, "a\nb\na\nc\nd\n", []string{"uniq", "--capacity", "2", "-q"}, exitUsage, "a\nb\n", want)
	_, _, stderr := execute(t, "a\nb\na\nc\nd\n", "uniq", "--capacity", "2")
	if !strings.HasPrefix(stderr, "3 lines read, 2 kept") || !strings.HasSuffix(stderr, want) {
		t.Error(stderr)
	}
}

// What was kept before the interrupt is out already, although the input has not ended.
func TestUniq_InterruptEndsBlockedRead(t *testing.T) {
	interruptBlockedRead(t, "a\nb\na\nhalf of a li", "uniq", "-q")
}
