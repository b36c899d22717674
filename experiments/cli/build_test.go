package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/must"
)

func TestBuild_SaysWhatItMade(t *testing.T) {
	dir := t.TempDir()
	a, b := writeKeys(t, dir, "a.txt", "a\r\nb\na"), writeKeys(t, dir, "b.txt", "c\na\r\n")
	out := filepath.Join(dir, "f.nest")
	status, stdout, stderr := execute(t, "d\n", "filter", "build", "--spec", "kind=cuckoo/slots=12/f=13", a, b, "-", "-o", out)
	want := `6 lines read, 5 stored
cuckoo filter of 5 keys in 28 bytes, 44.8 bits per key; load factor 0.417, false-positive rate 0.0339% (1 in 2949)
1 lines were skipped because the filter already reported them: delete nothing from this file.
note: 2 lines end in a carriage return, which is a part of them: queries need it too
`
	if status != exitOK || stdout != "" || stderr != want || content(t, dir) != "a.txt b.txt f.nest" {
		t.Errorf("status %d, %q,\n%swant\n%s", status, stdout, stderr, want)
	}
	expect(t, "a\r\nb\na\nc\nd\n", []string{"filter", "query", "-v", out}, exitFailed, "", "")
	expect(t, "d\r\n", []string{"filter", "query", out}, exitFailed, "", "note: 1 lines not in the filter end in a carriage return")
}

func TestBuild_FlagsMakeTheSpec(t *testing.T) {
	dir := t.TempDir()
	key := writeKeys(t, dir, "key", "000102030405060708090a0b0c0d0e0f\n")
	for args, want := range map[string]string{
		"--kind bloom --capacity 1_000": "kind=bloom/slots=14381/hashes=10/hash=xxh3:0",
		"--spec kind=cuckoo/f=12/b=8/placement=xor/capacity=100 --hash metro64:7": "kind=cuckoo/slots=128/f=12/b=8/" +
			"placement=xor/kick=breadth-first/maxkicks=700/hash=metro64:7",
		"--spec kind=cuckoo/slots=32/f=9/hash=fnv1a --kind dleft --hash xxh64": "kind=dleft/slots=32/f=9/counterbits=2/hash=xxh64:0",
		"--spec kind=bloom/slots=64/hashes=3 --key-file " + key:                "kind=bloom/slots=64/hashes=3/hash=siphash:key-",
		"--spec kind=bloom/slots=64/hashes=3 --hash siphash --key-file " + key: "kind=bloom/slots=64/hashes=3/hash=siphash:key-",
	} {
		info, err := nest.InspectFile(built(t, dir, "f.nest", "a\nb\n", strings.Fields(args)...))
		if err != nil || !strings.HasPrefix(info.Spec.String(), want) {
			t.Errorf("%q: %v, %v, want %s", args, info.Spec, err, want)
		}
	}
}

// An old filter stays where a new one cannot be made, and a new one replaces it whole.
func TestBuild_ReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	file := built(t, dir, "f.nest", "a\n", "--capacity", "2")
	old := readAll(t, file)
	expect(t, "a\nb\nc\n", []string{"filter", "build", "--force", "-o", file, "--capacity", "2"}, exitUsage, "",
		"standard input:3: 2 lines are in the filter")
	if readAll(t, file) != old {
		t.Error("the old filter is gone")
	}
	built(t, dir, "f.nest", "a\nb\nc\n")
	if f, err := nest.OpenFile(file); err != nil || f.Len() != 3 || content(t, dir) != "f.nest" {
		t.Errorf("%v, %v, %s", f, err, content(t, dir))
	}
}

// A file that is standard input or output is none to be read and written at a time: what is appended to a file
// while it is read has no end, and a list of lines is no filter.
func TestFiles_OutputOntoInput(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "a\nb\nc\n"
	built(t, ".", "filter", "z\n")
	writeKeys(t, ".", "keys", text)
	open := func(name string) *os.File {
		file := must.Get(os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0))(t)
		t.Cleanup(func() { file.Close() })
		return file
	}
	for _, c := range []struct{ stdout, args, read string }{
		{"keys", "filter query -v filter keys", "keys"},
		{"keys", "filter query -v filter", "standard input"},
		{"keys", "filter query -vc filter keys", "keys"},
		{"filter", "filter query -v filter keys", "filter"},
		{"keys", "filter query -q -v filter keys", ""},
		{"", "filter build -o keys", "standard input"},
		{"keys", "filter build -o -", "standard input"},
		{"keys", "filter build -o - keys", "keys"},
		{"filter", "filter merge filter filter -o -", "filter"},
		{"filter", "filter convert filter -o -", "filter"},
	} {
		var stdout io.Writer = io.Discard
		if c.stdout != "" {
			stdout = open(c.stdout)
		}
		status, stderr := runOn(t.Context(), open("keys"), stdout, strings.Fields(c.args)...)
		if failed := strings.Contains(stderr, c.read+" is both read and written"); failed != (c.read != "") ||
			failed != (status == exitUsage) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
		if _, err := nest.OpenFile("filter"); err != nil || readAll(t, "keys") != text {
			t.Fatalf("%q: %v, the keys are %q now", c.args, err, readAll(t, "keys"))
		}
	}
}

// Standard output and a device are written to; a device is not replaced.
func TestBuild_ToDevices(t *testing.T) {
	status, stdout, stderr := execute(t, "a\nb\n", "filter", "build", "-o", "-", "--kind", "bloom")
	f, err := nest.Open([]byte(stdout))
	if status != exitOK || err != nil || f.Len() != 2 || !strings.HasPrefix(stderr, "2 lines read, 2 stored\nbloom filter of 2 keys") {
		t.Errorf("status %d, %v, %v, %s", status, f, err, stderr)
	}
	expect(t, "a\n", []string{"filter", "build", "-q", "-o", os.DevNull}, exitOK, "", "")
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is no device any more: %v", os.DevNull, err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		expect(t, "a\n", []string{"filter", "build", "-q", "-o", "/dev/full"}, exitUsage, "", "build: /dev/full: no space left on device")
	}
}

// An interrupt while the file is written leaves the old one and no other.
func TestBuild_InterruptWhileSaving(t *testing.T) {
	dir := t.TempDir()
	file := built(t, dir, "f.nest", "a\n")
	f := must.Get(nest.New(nest.Spec{Kind: nest.Bloom, Slots: 1 << 20, Hashes: 3}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	root := newRootCommand(experiments.Default())
	root.SetContext(ctx)
	cancel()
	if err := (output{file, true}).save(root, f); err == nil || content(t, dir) != "f.nest" {
		t.Errorf("%v, %s", err, content(t, dir))
	}
	if old, err := nest.OpenFile(file); err != nil || old.Len() != 1 {
		t.Errorf("%v, %v", old, err)
	}
}

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
		{"a\nb\na", "uniq --window 1h --sliding", "a\nb\n"},
		{"a\nb\na", "uniq --window-keys 1", "a\nb\n"},
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
	want := `3 lines read, 2 kept, 1 dropped; expected among the dropped: 0.000244 new ones
a filter of 14 bytes, load factor 0.500, false-positive rate now 0.0488% (1 in 2048)
`
	if stderr != want {
		t.Errorf("%s, want\n%s", stderr, want)
	}
}

func TestUniq_StopsAtCapacity(t *testing.T) {
	want := "nest: uniq: standard input:4: the capacity is passed: 2 distinct lines are kept already; " +
		"announce more with --capacity, or add --grow\n"
	expect(t, "a\nb\na\nc\nd\n", []string{"uniq", "--capacity", "2", "-q"}, exitUsage, "a\nb\n", want)
}

// What was kept before the interrupt is out already, although the input has not ended.
func TestUniq_InterruptEndsBlockedRead(t *testing.T) {
	interruptBlockedRead(t, "a\nb\na\nhalf of a li", "uniq", "-q")
}
