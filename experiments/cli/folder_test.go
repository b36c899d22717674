package cli

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// tinyReport is the command line of a tiny figure 3.
var tinyReport = strings.Fields("reproduce --profile tiny --only fig3 --formats svg --out")

// tinyFolder is the files of its folder, made once.
var tinyFolder = sync.OnceValues(func() (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "nest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "report")
	if status, _, stderr := runNest(append(tinyReport, out)...); status != exitOK {
		return nil, errors.New(stderr)
	}
	files := fstest.MapFS{}
	entries, err := os.ReadDir(out)
	for _, e := range entries {
		data, readErr := os.ReadFile(filepath.Join(out, e.Name()))
		files[e.Name()], err = &fstest.MapFile{Data: data, Mode: 0o644}, errors.Join(err, readErr)
	}
	return files, err
})

// reproduced returns a folder of its own with the files of a tiny figure 3.
func reproduced(t *testing.T) string {
	t.Helper()
	files := must.Get(tinyFolder())(t)
	out := filepath.Join(t.TempDir(), "report")
	must.Do(t, os.CopyFS(out, files))
	return out
}

// folderState is every file of a folder by name, without the manifest.
func folderState(t *testing.T, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	for name := range strings.FieldsSeq(content(t, dir)) {
		if name != "manifest.json" {
			state[name] = readAll(t, filepath.Join(dir, name))
		}
	}
	return state
}

func TestRedraw_MakesTheSameFolderAgain(t *testing.T) {
	dir := reproduced(t)
	was := folderState(t, dir)
	says(t, exitOK, "Nothing was measured", "", "report", "redraw", dir)
	if is := folderState(t, dir); !maps.Equal(is, was) {
		t.Errorf("the folder holds %s", content(t, dir))
	}
	says(t, exitOK, "9 files are as the manifest says", "", "report", "verify", dir)
	says(t, exitOK, "the same: ", "", "report", "diff", dir, dir)
	if m := must.Get(report.ReadManifest(dir))(t); len(m.Rebuilt.Argv) == 0 || len(m.Seeds) != 1 {
		t.Errorf("%+v", m)
	}
}

func TestRedraw_OtherFormatsElsewhere(t *testing.T) {
	dir := reproduced(t)
	was := folderState(t, dir)
	out := filepath.Join(t.TempDir(), "slides")
	says(t, exitOK, "", "", "report", "redraw", dir, "--out", out, "--formats", "png")
	is := folderState(t, out)
	if _, svg := is["fig3.svg"]; svg || is["fig3.png"] == "" || is["fig3.csv"] != was["fig3.csv"] || is["report.html"] == "" {
		t.Errorf("the folder holds %s", content(t, out))
	}
	says(t, exitUsage, "", "not empty", "report", "redraw", dir, "--out", out)
}

func TestRedraw_Refuses(t *testing.T) {
	for _, c := range []struct{ name, file, from, to, args, want string }{
		{"altered", "fig3.csv", "2048", "2049", "", "fig3.csv: changed"},
		{"another seed", "manifest.json", "\"seeds\": [\n    1", "\"seeds\": [\n    2", "", "fig3.csv:2: "},
		{"another profile", "manifest.json", `"profile": "tiny"`, `"profile": "quick"`, "", "fig3.csv:"},
		{"own files", "notes.txt", "", "x", "", "notes.txt"},
		{"format", "fig3.csv", "", "", "--formats gif", "--formats"},
	} {
		dir := reproduced(t)
		old, _ := os.ReadFile(filepath.Join(dir, c.file))
		writeKeys(t, dir, c.file, strings.Replace(string(old), c.from, c.to, 1))
		was := folderState(t, dir)
		expect(t, "", append([]string{"report", "redraw", dir}, strings.Fields(c.args)...), exitUsage, "", c.want)
		if !maps.Equal(folderState(t, dir), was) {
			t.Errorf("%s: the folder is another one", c.name)
		}
	}
}

func TestVerify_NamesEachFile(t *testing.T) {
	dir := reproduced(t)
	must.Do(t, os.Remove(filepath.Join(dir, "fig3.svg")))
	writeKeys(t, dir, "report.md", "")
	writeKeys(t, dir, "own.txt", "")
	stdout, stderr := says(t, exitFailed, "report.md: changed: 0 bytes", "", "report", "verify", dir)
	if !strings.HasPrefix(stdout, "fig3.svg: missing\n") || !strings.HasSuffix(stdout, "own.txt: not in the manifest\n") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("%s, %s", stdout, stderr)
	}
	writeKeys(t, dir, "manifest.json", "{}")
	expect(t, "", []string{"report", "verify", dir}, exitUsage, "", "is no report")
}

func TestDiff_StatusIsThatOfDiff(t *testing.T) {
	a, b := reproduced(t), filepath.Join(t.TempDir(), "report")
	says(t, exitOK, "", "", append(tinyReport, b, "--seed", "2")...)
	stdout, stderr := says(t, exitFailed, `seeds: "[1]", "[2]"`, "", "report", "diff", a, b)
	if has(t, stdout, "fig3.csv:2:seed: "); strings.Count(stderr, "\n") != 1 {
		t.Error(stderr)
	}
}

// TestFolder_ErrorOfWhatExistsNamesForce tries every command that writes a folder or a table, and that --force does it
// then.
func TestFolder_ErrorOfWhatExistsNamesForce(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	must.Do(t, os.Mkdir(own, 0o755))
	keys := writeKeys(t, own, "keys.txt", "a\nb\n")
	earlier := reproduced(t)
	for _, line := range []string{
		"reproduce --profile tiny --only fig3 --formats svg", "bench --rounds 1 --fpr 0.1 --formats svg --keys " + keys,
		"bench --slots 2^10 --rounds 1 --filter bloom,cuckoo-xor --formats svg", "report redraw --formats svg " + reproduced(t),
	} {
		args := append(strings.Fields(line), "--out")
		_, stderr := says(t, exitUsage, "", "exists and is not empty", append(args, own)...)
		has(t, stderr, "--force replaces nothing but an earlier report")
		says(t, exitUsage, "", "exists and is not empty: it holds an earlier report, which --force replaces\n", append(args, earlier)...)
		says(t, exitOK, "", "", append(args, earlier, "--force")...)
	}
}
