package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/hashing"
)

// rare is a rate at which no line of a test is a false positive: the seeds are fixed.
const rare = "0.0000001"

func TestQuery_GrepsWithAFilter(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "b\n\nc\r\n", "--fpr", rare)
	one, two := writeKeys(t, dir, "one.txt", "a\nb\n\nb"), writeKeys(t, dir, "two.txt", "c\nc\r\nd\n")
	empty := writeKeys(t, dir, "empty.txt", "")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{f}, exitOK, "b\n"},
		{[]string{"--no-filename", f, one, two}, exitOK, "b\n\nb\nc\r\n"},
		{[]string{"-v", "--no-filename", f, one, "-", two}, exitOK, "a\nx\nc\nd\n"},
		{[]string{f, one, two}, exitOK, one + ":b\n" + one + ":\n" + one + ":b\n" + two + ":c\r\n"},
		{[]string{"-v", f, "-", two}, exitOK, "(standard input):x\n" + two + ":c\n" + two + ":d\n"},
		{[]string{"-H", f}, exitOK, "(standard input):b\n"},
		{[]string{"-c", f, one}, exitOK, "3\n"},
		{[]string{"-cH", f, one}, exitOK, one + ":3\n"},
		{[]string{"-c", f, one, empty, "-", two}, exitOK, one + ":3\n" + empty + ":0\n(standard input):1\n" + two + ":1\n"},
		{[]string{"-vc", "--no-filename", f, one, two}, exitOK, "1\n2\n"},
		{[]string{"-c", f, empty, empty}, exitFailed, empty + ":0\n" + empty + ":0\n"},
		{[]string{"-q", f, empty, one}, exitOK, ""},
		{[]string{"-qc", f, one, two}, exitOK, ""},
		{[]string{"-q", f, one}, exitOK, ""},
		{[]string{"-qc", f, one}, exitOK, ""},
		{[]string{"--copy", f, two}, exitOK, "c\r\n"},
		{[]string{"--no-checksum", f, two}, exitOK, "c\r\n"},
		{[]string{f, empty}, exitFailed, ""},
		{[]string{"-v", f, empty}, exitFailed, ""},
		{[]string{"-c", f, empty}, exitFailed, "0\n"},
		{[]string{"-q", "-v", f, empty}, exitFailed, ""},
	} {
		expect(t, "b\nx", append([]string{"filter", "query"}, c.args...), c.status, c.want, "")
	}
}

// TestQuery_KeysLikeBuild holds build and query to one rule about lines, whatever bytes they have.
func TestQuery_KeysLikeBuild(t *testing.T) {
	dir := t.TempDir()
	text := "\ufefffirst\n\r\n\n \nz\x00z\n\xff\xfe\nend\r\nlast"
	for _, kind := range namesOf(nest.Kinds(), func(k nest.Kind) string { return string(k) }) {
		f := built(t, dir, kind+".nest", text, "--kind", kind, "--capacity", "100")
		expect(t, text, []string{"filter", "query", f}, exitOK, text+"\n", "")
		expect(t, text, []string{"filter", "query", "-v", f}, exitFailed, "", "")
	}
}

func TestQuery_BadInput(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "a\n", "--kind", "bloom")
	good := writeKeys(t, dir, "good.txt", "a\n")
	missing := filepath.Join(dir, "missing")
	whole, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	cut := writeKeys(t, dir, "cut.nest", string(whole[:len(whole)-9]))
	more := writeKeys(t, dir, "more.nest", string(whole)+"x")
	whole[len(whole)-1] ^= 1
	flipped := writeKeys(t, dir, "flipped.nest", string(whole))
	digests, err := nest.New(nest.Spec{Kind: nest.Cuckoo, Slots: 4, FingerprintBits: 8, Hasher: hashing.DigestsOnly})
	if err != nil {
		t.Fatal(err)
	}
	only := filepath.Join(dir, "only.nest")
	if err := nest.Save(only, digests); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "filter query: 0 arguments came: want FILTER [FILE...]"},
		{[]string{missing}, "query: " + missing + ": no such file"},
		{[]string{f, good, missing}, "query: " + missing + ": no such file"},
		{[]string{f, dir}, "is a directory"},
		{[]string{dir}, "is a directory"},
		{[]string{"-"}, "cannot be standard input"},
		{[]string{good}, "data corrupt: at byte 0: no nest filter"},
		{[]string{writeKeys(t, dir, "empty", "")}, "data too short"},
		{[]string{cut}, "data too short"},
		{[]string{more}, "data corrupt"},
		{[]string{flipped}, "query: " + flipped + ": bloom: data corrupt: at byte "},
		{[]string{"--copy", flipped}, "data corrupt: at byte "},
		{[]string{only}, "cannot be asked for lines"},
		{[]string{"--copy", "--no-checksum", f}, "[copy no-checksum] were all set"},
		{[]string{"-H", "--no-filename", f}, "with-filename"},
		{[]string{"--key-file", "-", f}, "--key-file -: standard input is read already"},
	} {
		expect(t, "a\n", append([]string{"filter", "query"}, c.args...), exitUsage, "", c.want)
	}
	expect(t, "a\n", []string{"filter", "query", "--no-checksum", flipped}, exitOK, "a\n", "")
}

func TestQuery_SecretKeys(t *testing.T) {
	dir := t.TempDir()
	key := writeKeys(t, dir, "key", strings.Repeat("k", 16))
	other := writeKeys(t, dir, "other", strings.Repeat("0f", 16)+"\n")
	f := built(t, dir, "f.nest", "a\n", "--key-file", key, "--fpr", rare)
	for _, also := range [][]string{{"filter", "query"}, {"filter", "query", "--copy"}} {
		expect(t, "a\nb\n", append(also, "--key-file", key, f), exitOK, "a\n", "")
		expect(t, "a\nb\n", append(also, f), exitUsage, "", "query: "+f+": the filter is under a secret key; give it with --key-file")
		expect(t, "a\nb\n", append(also, "--key-file", other, f), exitUsage, "", "under another secret key")
	}
	if status, stdout, _ := execute(t, "", "filter", "info", f); status != exitOK || !strings.Contains(stdout, "needs its key") {
		t.Errorf("info: status %d, %s", status, stdout)
	}
	g := built(t, dir, "g.nest", "b\n", "--key-file", key, "--fpr", rare)
	sum := filepath.Join(dir, "sum.nest")
	expect(t, "", []string{"filter", "merge", f, g, "-o", sum}, exitUsage, "", "merge: "+f+": the filter is under a secret key")
	expect(t, "", []string{"filter", "merge", "-q", f, g, "-o", sum, "--key-file", key}, exitOK, "", "")
	expect(t, "a\nb\nc\n", []string{"filter", "query", "--key-file", key, sum}, exitOK, "a\nb\n", "")
}

// TestBuild_DrawsAKey makes the file of a key once, which then serves all commands, and leaves none where no filter comes
// of it.
func TestBuild_DrawsAKey(t *testing.T) {
	dir := t.TempDir()
	key, f, g := filepath.Join(dir, "key"), filepath.Join(dir, "f.nest"), filepath.Join(dir, "g.nest")
	for _, args := range [][]string{
		{"-o", f, filepath.Join(dir, "missing"), "--hash", "siphash", "--key-file", key},
		{"-o", f, "--capacity", "1", "--hash", "siphash", "--key-file", key},
		{"-o", f, "--kind", "cuckoo", "--fpr", "1e-40", "--spec", "hash=siphash", "--key-file", key},
		{"-o", f, "--key-file", key}, // with --hash siphash alone it is made
		{"-o", f, "--hash", "siphash", "--key-file", dir},
		{"-o", f, "--hash", "siphash", "--key-file", filepath.Join(dir, "none", "key")},
		{"-o", key, "--hash", "siphash", "--key-file", key},
	} {
		if status, _, stderr := execute(t, "a\nb\n", append([]string{"filter", "build"}, args...)...); status != exitUsage || content(t, dir) != "" {
			t.Errorf("%q: status %d, left behind: %q, %s", args, status, content(t, dir), stderr)
		}
	}
	expect(t, "a\n", []string{"filter", "build", "-q", "-o", f, "--fpr", rare, "--hash", "siphash", "--key-file", key}, exitOK, "", "note: a secret key was drawn and is in "+key)
	if info, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	first, err := os.ReadFile(key)
	if err != nil || len(first) != 33 {
		t.Fatalf("%q, %v", first, err)
	}
	expect(t, "b\n", []string{"filter", "build", "-q", "-o", g, "--fpr", rare, "--spec", "hash=siphash", "--key-file", key}, exitOK, "", "")
	if again, err := os.ReadFile(key); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the key is another one now: %v", err)
	}
	expect(t, "", []string{"filter", "merge", "--force", "-q", f, g, "-o", f, "--key-file", key}, exitOK, "", "")
	expect(t, "", []string{"filter", "convert", "--force", f, "-o", g, "--force", "--key-file", key}, exitOK, "", "")
	expect(t, "a\nb\nc\n", []string{"filter", "query", g, "--key-file", key}, exitOK, "a\nb\n", "")
	other := writeKeys(t, dir, "other", strings.Repeat("o", 16))
	expect(t, "", []string{"filter", "convert", "--force", f, "-o", g}, exitUsage, "", "convert: "+f+": the filter is under a secret key")
	expect(t, "", []string{"filter", "convert", "--force", f, "-o", g, "--key-file", other}, exitUsage, "", "under another secret key")
	expect(t, "", []string{"filter", "merge", "--force", f, g, "-o", f, "--key-file", other}, exitUsage, "", "under another secret key")
	expect(t, "a\n", []string{"filter", "query", g, "--key-file", writeKeys(t, dir, "short", "short")}, exitUsage, "", "want a SipHash key")
	expect(t, "a\n", []string{"filter", "query", g, "--key-file", filepath.Join(dir, "missing")}, exitUsage, "", "no such file")
}

// TestFiles_Digests has the commands that hash nothing deal with a filter that cannot be asked for lines.
func TestFiles_Digests(t *testing.T) {
	dir := t.TempDir()
	f, err := nest.New(nest.Spec{Kind: nest.SplitBlock, Slots: 256, Hashes: 8, Hasher: hashing.DigestsOnly})
	if err != nil {
		t.Fatal(err)
	}
	name, out := filepath.Join(dir, "in.nest"), filepath.Join(dir, "out.nest")
	if err := nest.Save(name, f); err != nil {
		t.Fatal(err)
	}
	expect(t, "", []string{"filter", "merge", "--force", "-q", name, name, "-o", out}, exitOK, "", "")
	expect(t, "", []string{"filter", "convert", "--force", name, "-o", out}, exitOK, "", "")
	expect(t, "a\n", []string{"filter", "query", out}, exitUsage, "", "cannot be asked for lines")
	status, stdout, stderr := execute(t, "", "filter", "info", out)
	if status != exitOK || !strings.Contains(stdout, "hash                 "+hashing.DigestsOnly.Recipe()) {
		t.Errorf("info: status %d, %s%s", status, stdout, stderr)
	}
}

// An interrupt ends the commands before or while the filter is verified, which may take a while.
func TestQuery_InterruptedFromTheStart(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"filter", "query", f, f}, {"filter", "query", "-c", f, f}, {"filter", "query", "--copy", f, f}, {"filter", "info", f}, {"filter", "build", "-o", f, f, "--capacity", "9"}} {
		var stdout, stderr bytes.Buffer
		if status := runCommand(ctx, newRootCommand(experiments.Default()), args, &stdout, &stderr); status != exitInterrupted || stdout.Len() > 0 {
			t.Errorf("%q: status %d, %q, %q", args, status, stdout.String(), stderr.String())
		}
	}
}

// What was selected before the interrupt is out already, although the input has not ended.
func TestQuery_InterruptEndsBlockedRead(t *testing.T) {
	f := built(t, t.TempDir(), "f.nest", "a\nb\n", "--fpr", rare)
	interruptBlockedRead(t, "a\nx\nb\nhalf of a li", "filter", "query", f)
}

func TestInfo_Statuses(t *testing.T) {
	dir := t.TempDir()
	f := built(t, dir, "f.nest", "a\nb\n", "--kind", "bloom")
	whole, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	whole[len(whole)-1] ^= 1
	bad := writeKeys(t, dir, "bad.nest", string(whole))
	none := writeKeys(t, dir, "none.txt", "text")
	for _, c := range []struct {
		args          []string
		status, found int
		want          string
	}{
		{[]string{f}, exitOK, 1, ""},
		{[]string{f, f}, exitOK, 2, ""},
		{[]string{f, bad}, exitFailed, 2, "damaged filter: " + bad},
		{[]string{bad, none, f}, exitUsage, 2, "damaged filter: " + bad},
		{[]string{none}, exitUsage, 0, "no nest filter"},
		{[]string{filepath.Join(dir, "missing"), f}, exitUsage, 1, "no such file"},
		{[]string{dir}, exitUsage, 0, "is a directory"},
		{nil, exitUsage, 0, "want FILTER..."},
	} {
		for _, as := range []struct{ flag, mark string }{{"--json=false", "  checksum "}, {"--json", `"checksum":`}} {
			status, stdout, stderr := execute(t, "", append([]string{"filter", "info", as.flag}, c.args...)...)
			if status != c.status || strings.Count(stdout, as.mark) != c.found || !strings.Contains(stderr, c.want) || (c.want == "") != (stderr == "") {
				t.Errorf("%q: status %d, %q\n%s", c.args, status, stderr, stdout)
			}
		}
	}
	missing := filepath.Join(dir, "missing")
	_, _, stderr := execute(t, "", "filter", "info", bad, missing, none, bad, f)
	for text := range strings.Lines(stderr) {
		if !strings.HasPrefix(text, "nest: ") {
			t.Errorf("%q does not say who says it", text)
		}
	}
	if n := strings.Count(stderr, "\n"); n != 4 {
		t.Errorf("%d lines for 4 errors:\n%s", n, stderr)
	}
	status, stdout, _ := execute(t, string(whole), "filter", "info", "-")
	if status != exitFailed || !strings.Contains(stdout, "data corrupt") {
		t.Errorf("standard input: status %d, %s", status, stdout)
	}
}

func TestMerge_JoinsOrSaysWhyNot(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.nest")
	a := built(t, dir, "a.nest", "a\nb\n", "--kind", "cuckoo", "--capacity", "10", "--fpr", rare)
	b := built(t, dir, "b.nest", "b\nc\n", "--kind", "cuckoo", "--capacity", "10", "--fpr", rare)
	wide := built(t, dir, "wide.nest", "b\nc\n", "--kind", "cuckoo", "--capacity", "100", "--fpr", rare)
	expect(t, "", []string{"filter", "merge", "-q", a, b, "-o", out}, exitOK, "", "")
	expect(t, "a\nb\nc\nd\n", []string{"filter", "query", out}, exitOK, "a\nb\nc\n", "")
	expect(t, "", []string{"filter", "merge", "--force", a, b, "-o", a}, exitOK, "", "cuckoo filter of 4 keys in ")
	expect(t, "", []string{"filter", "merge", "--force", b, wide, "-o", out}, exitUsage, "", "merge: "+b+" and "+wide+": nest: cuckoo: filters do not match: Buckets is ")
	for _, c := range [][]string{{b}, {b, filepath.Join(dir, "missing"), "-o", out}, {b, "-", "-o", out}, {b, b}, {b, b, "-o", dir}, {b, dir, "-o", out}} {
		if status, stdout, stderr := execute(t, "", append([]string{"filter", "merge", "--force"}, c...)...); status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q, %s", c, status, stdout, stderr)
		}
	}
	var full strings.Builder
	for i := range 8 {
		fmt.Fprintln(&full, i)
	}
	c := built(t, dir, "c.nest", full.String(), "--spec", "kind=cuckoo/slots=12/f=32")
	expect(t, "", []string{"filter", "merge", "--force", c, c, "-o", out}, exitUsage, "", c+" has no room for the 8 keys of "+c+" beside its 8")
}

func TestConvert_ThereAndBack(t *testing.T) {
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	f := built(t, dir, "f.nest", "a\nb\n", "--kind", "split-block")
	same := func(a, b string) {
		t.Helper()
		x, err1 := os.ReadFile(a)
		y, err2 := os.ReadFile(b)
		if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Errorf("%s and %s differ: %v, %v", a, b, err1, err2)
		}
	}
	expect(t, "", []string{"filter", "convert", f, "-o", name("p"), "--to", "parquet"}, exitOK, "", "")
	expect(t, "", []string{"filter", "convert", name("p"), "-o", name("bits"), "--from", "parquet", "--to", "parquet-bitset"}, exitOK, "", "")
	expect(t, "", []string{"filter", "convert", name("bits"), "-o", name("back.nest"), "--from", "parquet-bitset"}, exitOK, "", "")
	expect(t, "a\nb\n", []string{"filter", "query", name("back.nest")}, exitOK, "a\nb\n", "")
	p, err := os.ReadFile(name("p"))
	if err != nil {
		t.Fatal(err)
	}
	inside := writeKeys(t, dir, "inside", "PAR1"+string(p)+"PAR1")
	expect(t, "", []string{"filter", "convert", inside, "-o", name("p2"), "--from", "parquet", "--to", "parquet", "--offset", "4"}, exitOK, "", "")
	same(name("p"), name("p2"))
	expect(t, string(p), []string{"filter", "convert", "-", "-o", "-", "--from", "parquet", "--to", "parquet"}, exitOK, string(p), "")

	cuckooFilter := built(t, dir, "c.nest", "a\nb\n", "--kind", "cuckoo")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{cuckooFilter, "-o", name("x"), "--to", "parquet"}, "the answers would not be the same: this is a filter of kind cuckoo under xxh64:0, and parquet holds"},
		{[]string{name("bits"), "-o", name("x"), "--from", "seiflotfy"}, "seiflotfy holds cuckoo filters"},
		{[]string{name("bits"), "-o", name("x"), "--from", "parquet"}, "convert: as parquet: "},
		{[]string{inside, "-o", name("x"), "--from", "parquet", "--offset", "5"}, "convert: as parquet: "},
		{[]string{"-", "-o", name("x"), "--from", "parquet", "--offset", "4"}, "not standard input"},
		{[]string{f, "-o", name("x"), "--offset", "4"}, "--offset: it is for --from parquet"},
		{[]string{f, "-o", name("x"), "--from", "redis"}, "--from: \"redis\": want one of"},
		{[]string{f, "-o", name("x"), "--to", "none"}, "--to: "},
		{[]string{f, "-o", f, "--to", "parquet"}, "is both read and written"},
		{[]string{name("missing"), "-o", name("x")}, "no such file"},
		{[]string{f}, "--out: name the file"},
		{[]string{f, f, "-o", name("x")}, "2 arguments came"},
		{[]string{f, "-o", name("p")}, "exists; --force replaces it"},
		{[]string{f, "-o", name("p"), "--key-file", name("p")}, "is both read and written"},
		{[]string{"-", "-o", name("x"), "--key-file", "-"}, "--key-file -: standard input is read already"},
	} {
		expect(t, "", append([]string{"filter", "convert"}, c.args...), exitUsage, "", c.want)
	}
	if _, err := os.Stat(name("x")); err == nil {
		t.Error("a conversion that failed left a file")
	}
}
