package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/hashing"
)

// execute runs nest with a standard input and returns the exit status and what it printed.
func execute(t testing.TB, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRootCommand(experiments.Default())
	root.SetIn(strings.NewReader(stdin))
	status = runCommand(context.Background(), root, args, &out, &errs)
	return status, out.String(), errs.String()
}

// built has nest filter build make a filter of lines and returns its name.
func built(t testing.TB, dir, name, lines string, args ...string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if status, _, stderr := execute(t, lines, append([]string{"filter", "build", "-q", "--force", "-o", file}, args...)...); status != exitOK || stderr != "" {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	return file
}

// expect runs a command line that must end with that status, print that, and say nothing but one line that has a text.
func expect(t testing.TB, stdin string, args []string, status int, stdout, stderr string) {
	t.Helper()
	gotStatus, gotOut, gotErr := execute(t, stdin, args...)
	if gotStatus != status || gotOut != stdout || !strings.Contains(gotErr, stderr) || (stderr == "") != (gotErr == "") || strings.Count(gotErr, "\n") > 1 {
		t.Errorf("%q: status %d, printed %q, said %q; want %d, %q, one line with %q", args, gotStatus, gotOut, gotErr, status, stdout, stderr)
	}
}

func TestBuild_SaysWhatItMade(t *testing.T) {
	dir := t.TempDir()
	a, b := writeKeys(t, dir, "a.txt", "a\r\nb\na"), writeKeys(t, dir, "b.txt", "c\na\r\n")
	out := filepath.Join(dir, "f.nest")
	status, stdout, stderr := execute(t, "d\n", "filter", "build", "--spec", "kind=cuckoo/slots=12/f=13", a, b, "-", "-o", out)
	want := `6 lines read, 5 stored
cuckoo filter of 5 keys in 28 bytes, 44.8 bits per key; load factor 0.417, false-positive rate 0.0339% (1 in 2949)
note: 2 lines end in a carriage return, which is a part of them: queries need it too
`
	if status != exitOK || stdout != "" || stderr != want {
		t.Errorf("status %d, %q,\n%swant\n%s", status, stdout, stderr, want)
	}
	f, err := nest.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"a\r", "b", "a", "c", "d"} {
		if !f.ContainsString(line) {
			t.Errorf("%q is lost", line)
		}
	}
	if got := content(t, dir); got != "a.txt b.txt f.nest" {
		t.Errorf("left behind: %s", got)
	}
}

func TestBuild_FlagsMakeTheSpec(t *testing.T) {
	dir := t.TempDir()
	key := writeKeys(t, dir, "key", "000102030405060708090a0b0c0d0e0f\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--kind", "bloom", "--capacity", "1_000"}, "kind=bloom/slots=14381/hashes=10/hash=xxh64:0"},
		{[]string{"--spec", "kind=cuckoo/f=12/b=8/placement=xor/capacity=100", "--hash", "metro64:7"}, "kind=cuckoo/slots=128/f=12/b=8/placement=xor/kick=breadth-first/maxkicks=700/hash=metro64:7"},
		{[]string{"--spec", "kind=cuckoo/slots=32/f=9/hash=fnv1a", "--kind", "dleft", "--hash", "xxh64"}, "kind=dleft/slots=32/f=9/counterbits=2/hash=xxh64:0"},
		{[]string{"--spec", "kind=dleft/slots=32/f=9"}, "kind=dleft/slots=32/f=9/counterbits=2/hash=xxh64:0"},
		{[]string{"--spec", "kind=bloom/slots=64/hashes=3", "--key-file", key}, "kind=bloom/slots=64/hashes=3/hash=siphash:key-"},
		{[]string{"--spec", "kind=bloom/slots=64/hashes=3", "--key-file", key, "--hash", "siphash"}, "kind=bloom/slots=64/hashes=3/hash=siphash:key-"},
	} {
		info, err := nest.InspectFile(built(t, dir, "f.nest", "a\nb\n", c.args...))
		if err != nil || !strings.HasPrefix(info.Spec.String(), c.want) {
			t.Errorf("%q: %v, %v, want %s", c.args, info.Spec, err, c.want)
		}
	}
}

func TestBuild_BadInput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "f.nest")
	keys := writeKeys(t, dir, "keys.txt", "a\nb\nc\n")
	short := writeKeys(t, dir, "short.key", "secret")
	good := writeKeys(t, dir, "good.key", strings.Repeat("k", 16))
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{keys}, "--out: name the file"},
		{[]string{"-o", dir, keys}, "is a directory"},
		{[]string{"-o", filepath.Join(missing, "f.nest"), keys}, "no such file"},
		{[]string{"-o", keys, keys}, "is both read and written"},
		{[]string{"-o", out, keys, missing}, "build: " + missing + ": no such file"},
		{[]string{"-o", out, dir}, "is a directory"},
		{[]string{"-o", out, os.DevNull}, "there are no lines"},
		{[]string{"-o", out, "--fpr", "0"}, "--fpr: "},
		{[]string{"-o", out, "--kind", "cuckoo", "--fpr", "1e-40"}, "a filter for 1000 lines, to begin with: "},
		{[]string{"-o", out, "--capacity", "x"}, `"x" for "--capacity" flag: want a whole number`},
		{[]string{"-o", out, "--capacity", "2", keys}, "keys.txt:3: 2 lines are in the filter and one more is refused"},
		{[]string{"-o", out, "--kind", "nonesuch"}, "Kind is"},
		{[]string{"-o", out, "--spec", "what=3"}, "--spec: "},
		{[]string{"-o", out, "--hash", "siphash"}, "name the file of its key with --key-file"},
		{[]string{"-o", out, "--hash", "maphash"}, "nobody could ask"},
		{[]string{"-o", out, "--hash", "tabulation"}, `unknown hash family "tabulation"`},
		{[]string{"-o", out, "--hash", "xxh64", "--key-file", good}, "hash xxh64 takes no such key"},
		{[]string{"-o", out, "--key-file", short}, "want a SipHash key"},
		{[]string{"-o", out, "--key-file", missing}, "no such file"},
		{[]string{"-o", out, "--key-file", "-"}, "--key-file -: standard input is read already"},
		{[]string{"-o", good, keys, "--key-file", good}, good + " is both read and written"},
		{[]string{"-o", out, "--keys", keys}, "unknown flag: --keys"},
	} {
		expect(t, "a\nb\n", append([]string{"filter", "build"}, c.args...), exitUsage, "", c.want)
	}
	if got := content(t, dir); got != "good.key keys.txt short.key" {
		t.Errorf("left behind: %s", got)
	}
}

// An old filter stays where a new one cannot be made, and a new one replaces it whole.
func TestBuild_ReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	file := built(t, dir, "f.nest", "a\n", "--capacity", "2")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "a\nb\nc\n", []string{"filter", "build", "--force", "-o", file, "--capacity", "2"}, exitUsage, "", "standard input:3: 2 lines are in the filter")
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, old) {
		t.Errorf("the old filter is gone: %v", err)
	}
	built(t, dir, "f.nest", "a\nb\nc\n")
	if f, err := nest.OpenFile(file); err != nil || f.Len() != 3 || content(t, dir) != "f.nest" {
		t.Errorf("%v, %v, %s", f, err, content(t, dir))
	}
}

// A file that is standard input or output is none to be read and written at a time: what is appended to a file
// while it is read has no end, and a list of lines is no filter.
func TestFiles_OutputOntoInput(t *testing.T) {
	dir := t.TempDir()
	const text = "a\nb\nc\n"
	filter, keys := built(t, dir, "f.nest", "z\n"), writeKeys(t, dir, "keys.txt", text)
	open := func(name string) *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	for _, c := range []struct {
		stdout, read string
		args         []string
		fails        bool
	}{
		{keys, keys, []string{"filter", "query", "-v", filter, keys}, true},
		{keys, "standard input", []string{"filter", "query", "-v", filter}, true},
		{keys, keys, []string{"filter", "query", "-vc", filter, keys}, true},
		{filter, filter, []string{"filter", "query", "-v", filter, keys}, true},
		{keys, keys, []string{"filter", "query", "-q", "-v", filter, keys}, false},
		{"", "standard input", []string{"filter", "build", "-o", keys}, true},
		{keys, "standard input", []string{"filter", "build", "-o", "-"}, true},
		{keys, keys, []string{"filter", "build", "-o", "-", keys}, true},
		{filter, filter, []string{"filter", "merge", filter, filter, "-o", "-"}, true},
		{filter, filter, []string{"filter", "convert", filter, "-o", "-"}, true},
	} {
		root := newRootCommand(experiments.Default())
		root.SetIn(open(keys))
		var stdout io.Writer = io.Discard
		if c.stdout != "" {
			stdout = open(c.stdout)
		}
		var stderr bytes.Buffer
		status := runCommand(t.Context(), root, c.args, stdout, &stderr)
		if failed := status == exitUsage && strings.Contains(stderr.String(), c.read+" is both read and written"); failed != c.fails {
			t.Errorf("%q: status %d, %s", c.args, status, stderr.String())
		}
		if now, err := os.ReadFile(keys); err != nil || string(now) != text {
			t.Fatalf("%q: the keys are %q now, %v", c.args, now, err)
		}
		if _, err := nest.OpenFile(filter); err != nil {
			t.Fatalf("%q: %v", c.args, err)
		}
	}
}

func TestBuild_ToStandardOutput(t *testing.T) {
	status, stdout, stderr := execute(t, "a\nb\n", "filter", "build", "-o", "-", "--kind", "bloom")
	f, err := nest.Open([]byte(stdout))
	if status != exitOK || err != nil || f.Len() != 2 || !strings.HasPrefix(stderr, "2 lines read, 2 stored\nbloom filter of 2 keys") {
		t.Errorf("status %d, %v, %v, %s", status, f, err, stderr)
	}
}

// A device is written to and not replaced.
func TestBuild_ToADevice(t *testing.T) {
	expect(t, "a\n", []string{"filter", "build", "-q", "-o", os.DevNull}, exitOK, "", "")
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is no device any more: %v", os.DevNull, err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		expect(t, "a\n", []string{"filter", "build", "-q", "-o", "/dev/full"}, exitUsage, "", "build: /dev/full: no space left on device")
	}
}

// An interrupt ends build although its input blocks, and leaves nothing.
func TestBuild_InterruptLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stdin, source := io.Pipe()
	defer source.Close()
	root := newRootCommand(experiments.Default())
	root.SetIn(stdin)
	go func() {
		io.WriteString(source, "a\nb\n")
		cancel()
	}()
	var stderr bytes.Buffer
	status := runCommand(ctx, root, []string{"filter", "build", "-o", filepath.Join(dir, "f.nest")}, io.Discard, &stderr)
	if status != exitInterrupted || stderr.String() != "nest: interrupted, nothing was written\n" || content(t, dir) != "" {
		t.Errorf("status %d, %s, left behind: %s", status, stderr.String(), content(t, dir))
	}
}

// An interrupt while the file is written leaves the old one and no other.
func TestBuild_InterruptWhileSaving(t *testing.T) {
	dir := t.TempDir()
	file := built(t, dir, "f.nest", "a\n")
	f, err := nest.New(nest.Spec{Kind: nest.Bloom, Slots: 1 << 20, Hashes: 3, Hasher: hashing.XXH64(0)})
	if err != nil {
		t.Fatal(err)
	}
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
