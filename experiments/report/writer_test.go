package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWriter_FilesAndManifest(t *testing.T) {
	dir := written(t)
	want := []string{
		"bench.txt", "fig3.csv", "fig3.svg", "fig3.tex", "fig4.csv", "fig4.svg", "fig4.tex",
		"manifest.json", "report.html", "report.md", "verdicts.csv", "verdicts.tex",
	}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	var m Manifest
	check(t, json.Unmarshal([]byte(read(t, dir, "manifest.json")), &m))
	if len(m.Files) != len(want)-1 {
		t.Errorf("the manifest lists %d files, want all of %d but itself", len(m.Files), len(want))
	}
	for _, f := range m.Files {
		data := read(t, dir, f.Name)
		if sum := sha256.Sum256([]byte(data)); f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != len(data) {
			t.Errorf("%s: manifest says %d bytes, %s", f.Name, f.Bytes, f.SHA256)
		}
	}
	if !slices.Equal(m.Argv, []string{"nest", "reproduce"}) || !slices.Equal(m.Seeds, []uint64{7}) ||
		m.Profile != "quick" ||
		m.Machine != sample().Machine || m.Module.Path != modulePath || m.Start.IsZero() || m.End.Before(m.Start) {
		t.Errorf("manifest %+v", m)
	}
	if got := names(t, filepath.Dir(dir)); len(got) != 1 {
		t.Errorf("beside the report remain %q", got)
	}
}

// state is what a folder holds, with its contents.
func state(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			b.WriteString(path + "\n")
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriter_FailureLeavesEverythingAsItWas(t *testing.T) {
	old := written(t)
	before := map[string]func(string) error{
		"nothing there": func(string) error { return nil },
		"empty folder":  func(dir string) error { return os.Mkdir(dir, 0o755) },
		"old report": func(dir string) error {
			return os.CopyFS(dir, os.DirFS(old))
		},
	}
	failures := map[string]func(*Writer) error{
		"no commit":   func(w *Writer) error { return w.writeFile("a.txt", []byte("a"), nil) },
		"disk gone":   func(w *Writer) error { return errors.Join(os.RemoveAll(w.stage), w.Add(sample(), nil)) },
		"bad figure":  func(w *Writer) error { r := sample(); r.Sections[1].Figure.Panels = nil; return w.Add(r, nil) },
		"bad format":  func(w *Writer) error { return w.Add(sample(), []string{"gif"}) },
		"commit":      func(w *Writer) error { return errors.Join(os.RemoveAll(w.stage), w.Commit()) },
		"file twice":  func(w *Writer) error { return errors.Join(w.writeFile("a", nil, nil), w.writeFile("a", nil, nil)) },
		"not a name":  func(w *Writer) error { return w.writeFile("../a", nil, nil) },
		"is manifest": func(w *Writer) error { return w.writeFile(manifestName, nil, nil) },
	}
	for start, prepare := range before {
		for name, fail := range failures {
			root := t.TempDir()
			dir := filepath.Join(root, "out")
			if start == "nothing there" {
				dir = filepath.Join(root, "new", "parents", "out")
			}
			check(t, prepare(dir))
			was := state(t, root)
			w, err := Create(dir, Options{Force: true})
			if err != nil {
				t.Fatalf("%s: %v", start, err)
			}
			if err := fail(w); (err == nil) != (name == "no commit") {
				t.Errorf("%s, %s: error %v", start, name, err)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%s, %s: close: %v", start, name, err)
			}
			if is := state(t, root); is != was {
				t.Errorf("%s, %s: was\n%sis\n%s", start, name, was, is)
			}
		}
	}
}

func TestCreate_RefusesWithOneClearError(t *testing.T) {
	report := written(t)
	root := t.TempDir()
	file := filepath.Join(root, "file")
	full := filepath.Join(root, "full")
	old := filepath.Join(root, "old")
	mine, below := filepath.Join(root, "mine"), filepath.Join(root, "below")
	check(t, errors.Join(os.WriteFile(file, nil, 0o644), os.Mkdir(full, 0o755),
		os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o644),
		os.Mkdir(old, 0o755), os.WriteFile(filepath.Join(old, manifestName), nil, 0o644),
		os.CopyFS(mine, os.DirFS(report)), os.WriteFile(filepath.Join(mine, "thesis.tex"), nil, 0o644),
		os.CopyFS(below, os.DirFS(report)), os.Mkdir(filepath.Join(below, "notes"), 0o755)))
	for _, c := range []struct {
		dir   string
		force bool
		want  string
	}{
		{file, true, "is a file"},
		{filepath.Join(file, "below"), true, "not a directory"},
		{full, false, "exists and is not empty"},
		{full, true, "not a report to replace"},
		{old, false, "exists and is not empty"},
		{old, true, "not a report to replace"},
		{report, false, "exists and is not empty: it holds an earlier report"},
		{mine, true, "would be lost: thesis.tex"},
		{below, true, "would be lost: notes" + string(filepath.Separator)},
		{".", true, "working directory"},
		{"/proc/nest-report", false, "/proc"},
	} {
		was := state(t, root)
		_, err := Create(c.dir, Options{Force: c.force})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.dir) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.dir, err, c.want)
		}
		if (c.dir == full || c.dir == old) && !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v is not ErrExists", c.dir, err)
		}
		if errors.Is(err, ErrReport) != (c.dir == report) {
			t.Errorf("%s: whether %v is ErrReport is wrong", c.dir, err)
		}
		if is := state(t, root); is != was {
			t.Errorf("%s: was\n%sis\n%s", c.dir, was, is)
		}
	}
}

func TestCreate_ReplacesAnEmptyFolderAndAnOldReport(t *testing.T) {
	root := t.TempDir()
	empty := filepath.Join(root, "empty")
	check(t, os.Mkdir(empty, 0o755))
	old := written(t)
	for _, dir := range []string{empty, old} {
		w := must(Create(dir, Options{Force: true}))(t)
		check(t, errors.Join(w.writeFile("only.txt", []byte("x"), nil), w.Commit()))
		if got := names(t, dir); !slices.Equal(got, []string{"manifest.json", "only.txt"}) {
			t.Errorf("%s holds %q", dir, got)
		}
		if got := names(t, filepath.Dir(dir)); len(got) != 1 {
			t.Errorf("beside the report remain %q", got)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if w.Commit() == nil || w.writeFile("late.txt", nil, nil) == nil {
			t.Error("a committed writer still writes")
		}
	}
}

// Somebody else takes the folder's name while the work goes on.
func TestCreate_FollowsALink(t *testing.T) {
	root := t.TempDir()
	target, link := filepath.Join(root, "target"), filepath.Join(root, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err) // not everybody may make links everywhere
	}
	if w, err := Create(link, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v, %v", w, err)
	}
	check(t, os.Mkdir(target, 0o755))
	w, err := Create(link, Options{})
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.Readlink(link); got != target || !slices.Contains(names(t, target), "manifest.json") {
		t.Errorf("the link leads to %q, the target holds %q", got, names(t, target))
	}
}

func TestCommit_DoesNotClobber(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	w := must(Create(dir, Options{}))(t)
	mine := filepath.Join(dir, "mine.txt")
	check(t, errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(mine, []byte("precious"), 0o644)))
	if err := w.Commit(); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want one that names the folder", err)
	}
	if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"out"}) || read(t, dir, "mine.txt") != "precious" {
		t.Errorf("there are %q", got)
	}

	old := written(t)
	before := len(names(t, old))
	w = must(Create(old, Options{Force: true}))(t)
	check(t, os.WriteFile(filepath.Join(old, "mine.txt"), []byte("precious"), 0o644))
	if err := w.Commit(); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "mine.txt") {
		t.Errorf("an own file in the report that is replaced: %v", err)
	}
	if len(names(t, old)) != before+1 || read(t, old, "mine.txt") != "precious" || len(names(t, filepath.Dir(old))) != 1 {
		t.Errorf("there are %q, beside it %q", names(t, old), names(t, filepath.Dir(old)))
	}
}
