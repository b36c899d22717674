package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/nestfilter/nest/experiments"
)

// tinyFolder is the files of a folder of a tiny figure 3, made once.
var tinyFolder = sync.OnceValues(func() (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "nest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "report")
	if status, _, stderr := runNest("reproduce", "--out", out, "--profile", "tiny", "--only", "fig3", "--formats", "svg"); status != exitOK {
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
	files, err := tinyFolder()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "report")
	if err := os.CopyFS(out, files); err != nil {
		t.Fatal(err)
	}
	return out
}

// folderState is every file of a folder by name, without the manifest.
func folderState(t *testing.T, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	for name := range strings.FieldsSeq(content(t, dir)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name != "manifest.json" {
			state[name] = string(data)
		}
	}
	return state
}

func TestRedraw_MakesTheSameFolderAgain(t *testing.T) {
	dir := reproduced(t)
	was := folderState(t, dir)
	status, stdout, stderr := runNest("report", "redraw", dir)
	if status != exitOK || stderr != "" || !strings.Contains(stdout, "Nothing was measured") {
		t.Fatalf("status %d, %s, %s", status, stdout, stderr)
	}
	is := folderState(t, dir)
	if len(is) != len(was) {
		t.Errorf("the folder holds %s", content(t, dir))
	}
	for name, text := range was {
		if is[name] != text {
			t.Errorf("%s is another one", name)
		}
	}
	if status, stdout, stderr := runNest("report", "verify", dir); status != exitOK || stderr != "" || !strings.Contains(stdout, "9 files are as the manifest says") {
		t.Errorf("verify: status %d, %s, %s", status, stdout, stderr)
	}
	if status, stdout, _ := runNest("report", "diff", dir, dir); status != exitOK || !strings.Contains(stdout, "the same: ") {
		t.Errorf("diff with itself: status %d, %s", status, stdout)
	}
}

func TestRedraw_OtherFormatsElsewhere(t *testing.T) {
	dir := reproduced(t)
	was := folderState(t, dir)
	out := filepath.Join(t.TempDir(), "slides")
	if status, _, stderr := runNest("report", "redraw", dir, "--out", out, "--formats", "png"); status != exitOK {
		t.Fatalf("status %d, %s", status, stderr)
	}
	is := folderState(t, out)
	if _, svg := is["fig3.svg"]; svg || is["fig3.png"] == "" || is["fig3.csv"] != was["fig3.csv"] || is["report.html"] == "" {
		t.Errorf("the folder holds %s", content(t, out))
	}
	if status, _, stderr := runNest("report", "redraw", dir, "--out", out); status != exitUsage || !strings.Contains(stderr, "not empty") {
		t.Errorf("a second time: status %d, %s", status, stderr)
	}
}

func TestRedraw_Refuses(t *testing.T) {
	change := func(name, from, to string) func(string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, bytes.Replace(data, []byte(from), []byte(to), 1), 0o644))
		}
	}
	for _, c := range []struct {
		name   string
		change func(string) error
		args   []string
		want   string
	}{
		{"altered", change("fig3.csv", "2048", "2049"), nil, "fig3.csv: changed"},
		{"another seed", change("manifest.json", `"seeds": [
    1`, `"seeds": [
    2`), nil, "fig3.csv:2: "},
		{"another profile", change("manifest.json", `"profile": "tiny"`, `"profile": "quick"`), nil, "fig3.csv:"},
		{"own files", func(dir string) error { return os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644) }, nil, "notes.txt"},
		{"no report", func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) }, nil, "is no report"},
		{"format", func(string) error { return nil }, []string{"--formats", "gif"}, "--formats"},
	} {
		dir := reproduced(t)
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		was := folderState(t, dir)
		status, stdout, stderr := runNest(append([]string{"report", "redraw", dir}, c.args...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s, %s", c.name, status, stdout, stderr)
		}
		for name, text := range folderState(t, dir) {
			if was[name] != text {
				t.Errorf("%s: changed %s", c.name, name)
			}
		}
	}
}

func TestRedraw_InterruptLeavesTheOldFolder(t *testing.T) {
	dir := reproduced(t)
	was := content(t, filepath.Dir(dir))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	status := runCommand(ctx, newRootCommand(experiments.Default()), []string{"report", "redraw", dir}, &stdout, &stderr)
	if status != exitInterrupted || content(t, filepath.Dir(dir)) != was {
		t.Errorf("status %d, %s", status, stderr.String())
	}
	if status, _, _ := runNest("report", "verify", dir); status != exitOK {
		t.Error("the old folder is broken")
	}
}

func TestVerify_NamesEachFile(t *testing.T) {
	dir := reproduced(t)
	if err := errors.Join(os.Remove(filepath.Join(dir, "fig3.svg")), os.WriteFile(filepath.Join(dir, "report.md"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "own.txt"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := runNest("report", "verify", dir)
	if want := "fig3.svg: missing\n"; status != exitFailed || !strings.HasPrefix(stdout, want) ||
		!strings.Contains(stdout, "report.md: changed: 0 bytes") || !strings.HasSuffix(stdout, "own.txt: not in the manifest\n") {
		t.Errorf("status %d, %s", status, stdout)
	}
	if strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr %s", stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := runNest("report", "verify", dir); status != exitUsage || stdout != "" || !strings.Contains(stderr, "is no report") {
		t.Errorf("a manifest without files: status %d, %s, %s", status, stdout, stderr)
	}
}

func TestDiff_StatusIsThatOfDiff(t *testing.T) {
	a, b := reproduced(t), filepath.Join(t.TempDir(), "report")
	if status, _, stderr := runNest("reproduce", "--out", b, "--profile", "tiny", "--only", "fig3", "--formats", "svg", "--seed", "2"); status != exitOK {
		t.Fatal(stderr)
	}
	status, stdout, stderr := runNest("report", "diff", a, b)
	if status != exitFailed || !strings.Contains(stdout, `seeds: "[1]", "[2]"`) || !strings.Contains(stdout, "fig3.csv:2:seed: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
	for _, args := range [][]string{{"report", "diff", a}, {"report", "diff", a, t.TempDir()}, {"report", "diff", a, b, a}, {"report", "verify"}, {"report", "verify", "/nonexistent"}, {"report", "redraw"}} {
		if status, stdout, stderr := runNest(args...); status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %s, %s", args, status, stdout, stderr)
		}
	}
}

func TestManifest_OfAReportMadeAgain(t *testing.T) {
	dir := reproduced(t)
	if status, _, stderr := runNest("report", "redraw", dir); status != exitOK {
		t.Fatal(stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Rebuilt struct{ Argv []string }
		Seeds   []int
	}
	if err := json.Unmarshal(data, &m); err != nil || len(m.Rebuilt.Argv) == 0 || len(m.Seeds) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestFolder_ErrorOfWhatExistsNamesForce tries every command that writes a folder or a table, and that --force does it then.
func TestFolder_ErrorOfWhatExistsNamesForce(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	keys := writeKeys(t, own, "keys.txt", "a\nb\n")
	report := reproduced(t)
	for _, line := range [][]string{
		{"reproduce", "--profile", "tiny", "--only", "fig3", "--formats", "svg"},
		{"bench", "--keys", keys, "--rounds", "1", "--formats", "svg"},
		{"bench", "--slots", "2^10", "--rounds", "6", "--filter", "bloom,cuckoo-xor", "--formats", "svg"},
		{"report", "redraw", reproduced(t), "--formats", "svg"},
	} {
		status, _, stderr := runNest(append(line, "--out", own)...)
		if status != exitUsage || !strings.Contains(stderr, "exists and is not empty") || !strings.Contains(stderr, "--force replaces nothing but an earlier report") {
			t.Errorf("%v into a folder of one's own: status %d, %s", line, status, stderr)
		}
		status, _, stderr = runNest(append(line, "--out", report)...)
		if status != exitUsage || !strings.Contains(stderr, "exists and is not empty: it holds an earlier report, which --force replaces\n") {
			t.Errorf("%v into a report: status %d, %s", line, status, stderr)
		}
		if status, _, stderr = runNest(append(line, "--force", "--out", report)...); status != exitOK {
			t.Errorf("%v --force: status %d, %s", line, status, stderr)
		}
	}
	sweep := []string{"sweep", "--slots", "2^10", "--probes", "100", "--out", keys}
	if status, _, stderr := runNest(sweep...); status != exitUsage || !strings.Contains(stderr, "--force") {
		t.Errorf("sweep: status %d, %s", status, stderr)
	}
	if status, _, stderr := runNest(append(sweep, "--force")...); status != exitOK {
		t.Errorf("sweep --force: status %d, %s", status, stderr)
	}
}
