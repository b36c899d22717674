package cli

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// rare is a rate at which no line of a test is a false positive: the seeds are fixed.
const rare = "0.0000001"

func TestQuery_GrepsWithAFilter(t *testing.T) {
	t.Chdir(t.TempDir())
	built(t, ".", "f", "b\n\nc\r\n", "--fpr", rare)
	writeKeys(t, ".", "one", "a\nb\n\nb")
	writeKeys(t, ".", "two", "c\nc\r\nd\n")
	writeKeys(t, ".", "empty", "")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"f", exitOK, "b\n"},
		{"--no-filename f one two", exitOK, "b\n\nb\nc\r\n"},
		{"-v --no-filename f one - two", exitOK, "a\nx\nc\nd\n"},
		{"f one two", exitOK, "one:b\none:\none:b\ntwo:c\r\n"},
		{"-v f - two", exitOK, "(standard input):x\ntwo:c\ntwo:d\n"},
		{"-H f", exitOK, "(standard input):b\n"},
		{"-c f one", exitOK, "3\n"},
		{"-cH f one", exitOK, "one:3\n"},
		{"-c f one empty - two", exitOK, "one:3\nempty:0\n(standard input):1\ntwo:1\n"},
		{"-vc --no-filename f one two", exitOK, "1\n2\n"},
		{"-c f empty empty", exitFailed, "empty:0\nempty:0\n"},
		{"-q f empty one", exitOK, ""},
		{"-qc f one two", exitOK, ""},
		{"--copy f two", exitOK, "c\r\n"},
		{"--no-checksum f two", exitOK, "c\r\n"},
		{"f empty", exitFailed, ""},
		{"-v f empty", exitFailed, ""},
		{"-c f empty", exitFailed, "0\n"},
		{"-q -v f empty", exitFailed, ""},
		{"--json f one", exitOK, "{\n  \"file\": \"one\",\n  \"lines\": 4,\n  \"selected\": 3\n}\n"},
		{"--json -v f empty", exitFailed, "{\n  \"file\": \"empty\",\n  \"lines\": 0,\n  \"selected\": 0\n}\n"},
	} {
		expect(t, "b\nx", append([]string{"filter", "query"}, strings.Fields(c.args)...), c.status, c.want, "")
	}
}

// TestBuild_DrawsAKey makes the file of a key once, which then serves all commands, and leaves none where no filter
// comes of it.
func TestBuild_DrawsAKey(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"-o f missing --hash siphash --key-file key",
		"-o f --capacity 1 --hash siphash --key-file key",
		"-o f --kind cuckoo --fpr 1e-40 --spec hash=siphash --key-file key",
		"-o f --key-file key", // with --hash siphash alone it is made
		"-o f --hash siphash --key-file .",
		"-o f --hash siphash --key-file none/key",
		"-o key --hash siphash --key-file key",
	} {
		status, _, stderr := execute(t, "a\nb\n", strings.Fields("filter build "+args)...)
		if status != exitUsage || content(t, ".") != "" {
			t.Errorf("%q: status %d, left behind: %q, %s", args, status, content(t, "."), stderr)
		}
	}
	const build = "filter build -q --hash siphash --key-file key --fpr " + rare
	expect(t, "a\n", strings.Fields(build+" -o f"), exitOK, "", "note: a secret key was drawn and is in key")
	if info, err := os.Stat("key"); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	first := readAll(t, "key")
	expect(t, "b\n", strings.Fields(build+" -o g"), exitOK, "", "")
	if readAll(t, "key") != first || len(first) != 33 {
		t.Errorf("the key is another one now, or %q", first)
	}
	writeKeys(t, ".", "other", strings.Repeat("o", 16))
	for _, c := range []struct {
		args, printed, said string
	}{
		{"query --key-file key f", "a\n", ""},
		{"query --copy --key-file key f", "a\n", ""},
		{"query f", "", "query: f: the filter is under a secret key; give it with --key-file"},
		{"query --copy f", "", "query: f: the filter is under a secret key"},
		{"query --key-file other f", "", "under another secret key"},
		{"query --key-file missing f", "", "no such file"},
		{"merge -q f g -o sum", "", "merge: f: the filter is under a secret key"},
		{"merge -q f g -o sum --key-file other", "", "under another secret key"},
		{"merge -q f g -o sum --key-file key", "", ""},
		{"convert sum -o same", "", "convert: sum: the filter is under a secret key"},
		{"convert sum -o same --key-file other", "", "under another secret key"},
		{"convert sum -o same --key-file key", "", ""},
		{"query --key-file key same", "a\nb\n", ""},
	} {
		status := exitOK
		if c.said != "" {
			status = exitUsage
		}
		expect(t, "a\nb\nc\n", strings.Fields("filter "+c.args), status, c.printed, c.said)
	}
	says(t, exitOK, "needs its key", "", "filter", "info", "f")
}

// TestFiles_Digests has the commands that hash nothing deal with a filter that cannot be asked for lines.
func TestFiles_Digests(t *testing.T) {
	t.Chdir(t.TempDir())
	digests := nest.Spec{Kind: nest.SplitBlock, Slots: 256, Hashes: 8}
	must.Do(t, nest.Save("in", must.Get(nest.New(digests, hashing.DigestsOnly))(t)))
	expect(t, "", strings.Fields("filter merge -q in in -o out"), exitOK, "", "")
	expect(t, "", strings.Fields("filter convert --force in -o out"), exitOK, "", "")
	expect(t, "a\n", strings.Fields("filter query out"), exitUsage, "", "cannot be asked for lines")
	says(t, exitOK, "hash                 "+hashing.DigestsOnly.Recipe(), "", "filter", "info", "out")
}

// What was selected before the interrupt is out already, although the input has not ended.
func TestQuery_InterruptEndsBlockedRead(t *testing.T) {
	f := built(t, t.TempDir(), "f.nest", "a\nb\n", "--fpr", rare)
	interruptBlockedRead(t, "a\nx\nb\nhalf of a li", "filter", "query", f)
}

func TestInfo_Statuses(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := []byte(readAll(t, built(t, ".", "f", "a\nb\n", "--kind", "bloom")))
	whole[len(whole)-1] ^= 1
	writeKeys(t, ".", "bad", string(whole))
	writeKeys(t, ".", "none", "text")
	for _, c := range []struct {
		args          string
		status, found int
		want          string
	}{
		{"f", exitOK, 1, ""},
		{"f f", exitOK, 2, ""},
		{"f bad", exitFailed, 2, "damaged filter: bad"},
		{"bad none f", exitUsage, 2, "damaged filter: bad"},
		{"none", exitUsage, 0, "no nest filter"},
		{"missing f", exitUsage, 1, "no such file"},
		{".", exitUsage, 0, "is a directory"},
	} {
		for flag, mark := range map[string]string{"--json=false": "  checksum ", "--json": `"checksum":`} {
			stdout, stderr := says(t, c.status, "", c.want, strings.Fields("filter info "+flag+" "+c.args)...)
			if strings.Count(stdout, mark) != c.found || (c.want == "") != (stderr == "") {
				t.Errorf("%q: %q\n%s", c.args, stderr, stdout)
			}
		}
	}
	_, stderr := says(t, exitUsage, "", "", strings.Fields("filter info bad missing none bad f")...)
	if strings.Count(stderr, "\n") != 4 || strings.Count("\n"+stderr, "\nnest: ") != 4 {
		t.Errorf("of 4 errors:\n%s", stderr)
	}
	if status, stdout, _ := execute(t, string(whole), "filter", "info", "-"); status != exitFailed || !strings.Contains(stdout, "data corrupt") {
		t.Errorf("standard input: status %d, %s", status, stdout)
	}
}

func TestMerge_JoinsOrSaysWhyNot(t *testing.T) {
	t.Chdir(t.TempDir())
	built(t, ".", "a", "a\nb\n", "--kind", "cuckoo", "--capacity", "10", "--fpr", rare)
	built(t, ".", "b", "b\nc\n", "--kind", "cuckoo", "--capacity", "10", "--fpr", rare)
	built(t, ".", "wide", "b\nc\n", "--kind", "cuckoo", "--capacity", "100", "--fpr", rare)
	expect(t, "", strings.Fields("filter merge -q a b -o out"), exitOK, "", "")
	expect(t, "a\nb\nc\nd\n", strings.Fields("filter query out"), exitOK, "a\nb\nc\n", "")
	expect(t, "", strings.Fields("filter merge --force a b -o a"), exitOK, "", "cuckoo filter of 4 keys in ")
	expect(t, "", strings.Fields("filter merge --force b wide -o out"), exitUsage, "",
		"merge: b and wide: nest: cuckoo: filters do not match: Buckets is ")
	built(t, ".", "c", numberedLines(8), "--spec", "kind=cuckoo/slots=12/f=32")
	expect(t, "", strings.Fields("filter merge --force c c -o out"), exitUsage, "", "c has no room for the 8 keys of c beside its 8")
}

func TestConvert_ThereAndBack(t *testing.T) {
	t.Chdir(t.TempDir())
	built(t, ".", "f", "a\nb\n", "--kind", "split-block")
	convert := func(args string) { t.Helper(); expect(t, "", strings.Fields("filter convert "+args), exitOK, "", "") }
	convert("f -o p --to parquet")
	convert("p -o bits --from parquet --to parquet-bitset")
	convert("bits -o back --from parquet-bitset")
	expect(t, "a\nb\n", []string{"filter", "query", "back"}, exitOK, "a\nb\n", "")
	p := readAll(t, "p")
	writeKeys(t, ".", "inside", "PAR1"+p+"PAR1")
	convert("inside -o p2 --from parquet --to parquet --offset 4")
	expect(t, p, strings.Fields("filter convert - -o - --from parquet --to parquet"), exitOK, p, "")
	if readAll(t, "p2") != p {
		t.Error("a filter inside of a file is another one")
	}
}
