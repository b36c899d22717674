package report

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

func TestWriter_FilesAndManifest(t *testing.T) {
	dir := written(t)
	want := []string{
		"bench.txt", "fig3.csv", "fig3.svg", "fig3.tex", "fig4.csv", "fig4.svg", "fig4.tex",
		"manifest.json", "report.html", "report.md", "verdicts.csv", "verdicts.tex",
	}
	holds(t, dir, want...)
	holds(t, filepath.Dir(dir), "report")
	var m Manifest
	must.Do(t, json.Unmarshal([]byte(read(t, dir, "manifest.json")), &m))
	if len(m.Files) != len(want)-1 {
		t.Errorf("the manifest lists %d files, want all of %d but itself", len(m.Files), len(want))
	}
	for _, f := range m.Files {
		data := read(t, dir, f.Name)
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); f.SHA256 != sum || f.Bytes != len(data) {
			t.Errorf("%s: manifest says %d bytes, %s", f.Name, f.Bytes, f.SHA256)
		}
	}
	if !slices.Equal(m.Argv, []string{"nest", "reproduce"}) || !slices.Equal(m.Seeds, []uint64{7}) ||
		m.Profile != "quick" ||
		m.Machine != sample().Machine || m.Module.Path != modulePath || m.Start.IsZero() || m.End.Before(m.Start) {
		t.Errorf("manifest %+v", m)
	}
}

// state is what a folder holds, with its contents.
func state(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		b.WriteString(path + "\n")
		if err == nil && !d.IsDir() {
			b.WriteString(read(t, "", path) + "\n")
		}
		return err
	}))
	return b.String()
}

func TestWriter_FailureLeavesEverythingAsItWas(t *testing.T) {
	old := written(t)
	before := map[string]func(string) error{
		"new/parents/out": func(string) error { return nil }, // nothing there
		"empty folder":    func(dir string) error { return os.Mkdir(dir, 0o755) },
		"old report":      func(dir string) error { return os.CopyFS(dir, os.DirFS(old)) },
	}
	twice := func(w *Writer) error { return errors.Join(w.writeFile("a", nil, nil), w.writeFile("a", nil, nil)) }
	failures := map[string]func(*Writer) error{
		"no commit":   func(w *Writer) error { return w.writeFile("a.txt", []byte("a"), nil) },
		"disk gone":   func(w *Writer) error { return errors.Join(os.RemoveAll(w.stage), w.Add(sample(), nil)) },
		"bad figure":  func(w *Writer) error { r := sample(); r.Sections[1].Figure.Panels = nil; return w.Add(r, nil) },
		"bad format":  func(w *Writer) error { return w.Add(sample(), []string{"gif"}) },
		"commit":      func(w *Writer) error { return errors.Join(os.RemoveAll(w.stage), w.Commit()) },
		"file twice":  twice,
		"not a name":  func(w *Writer) error { return w.writeFile("../a", nil, nil) },
		"is manifest": func(w *Writer) error { return w.writeFile(manifestName, nil, nil) },
	}
	for start, prepare := range before {
		for name, fail := range failures {
			root := t.TempDir()
			dir := filepath.Join(root, start)
			must.Do(t, prepare(dir))
			was := state(t, root)
			w := must.Get(Create(dir, Options{Force: true}))(t)
			if err := fail(w); (err == nil) != (name == "no commit") {
				t.Errorf("%s, %s: error %v", start, name, err)
			}
			must.Do(t, w.Close())
			if is := state(t, root); is != was {
				t.Errorf("%s, %s: was\n%sis\n%s", start, name, was, is)
			}
		}
	}
}

func TestCreate_RefusesWithOneClearError(t *testing.T) {
	report := written(t)
	root := t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	file, full, old, mine, below := in("file"), in("full"), in("old"), in("mine"), in("below")
	must.Do(t, errors.Join(os.WriteFile(file, nil, 0o644), os.Mkdir(full, 0o755), os.WriteFile(in("full", "thesis.tex"), nil, 0o644),
		os.Mkdir(old, 0o755), os.WriteFile(in("old", manifestName), nil, 0o644),
		os.CopyFS(mine, os.DirFS(report)), os.WriteFile(in("mine", "thesis.tex"), nil, 0o644),
		os.CopyFS(below, os.DirFS(report)), os.Mkdir(in("below", "notes"), 0o755)))
	for _, c := range []struct {
		dir   string
		force bool
		want  string
	}{
		{file, true, "is a file"},
		{in("file", "below"), true, "not a directory"},
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
		if refused(t, err, c.want, c.dir); strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v has several lines", c.dir, err)
		}
		if exists := c.dir == full || c.dir == old || c.dir == report; exists && !errors.Is(err, ErrExists) ||
			errors.Is(err, ErrReport) != (c.dir == report) {
			t.Errorf("%s: whether %v is ErrExists or ErrReport is wrong", c.dir, err)
		}
		if is := state(t, root); is != was {
			t.Errorf("%s: was\n%sis\n%s", c.dir, was, is)
		}
	}
}

// holds checks the names in a folder.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestCreate_ReplacesAnEmptyFolderAndAnOldReport(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	must.Do(t, os.Mkdir(empty, 0o755))
	for _, dir := range []string{empty, written(t)} {
		w := must.Get(Create(dir, Options{Force: true}))(t)
		must.Do(t, errors.Join(w.writeFile("only.txt", []byte("x"), nil), w.Commit(), w.Close()))
		holds(t, dir, "manifest.json", "only.txt")
		holds(t, filepath.Dir(dir), filepath.Base(dir))
		if w.Commit() == nil || w.writeFile("late.txt", nil, nil) == nil {
			t.Error("a committed writer still writes")
		}
	}
}

func TestCreate_FollowsALink(t *testing.T) {
	root := t.TempDir()
	target, link := filepath.Join(root, "target"), filepath.Join(root, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err) // not everybody may make links everywhere
	}
	if w, err := Create(link, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v, %v", w, err)
	}
	must.Do(t, os.Mkdir(target, 0o755))
	must.Do(t, must.Get(Create(link, Options{}))(t).Commit())
	if got, _ := os.Readlink(link); got != target {
		t.Errorf("the link leads to %q", got)
	}
	holds(t, target, "manifest.json")
}

// Somebody else takes the folder's name while the work goes on.
func TestCommit_DoesNotClobber(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	w := must.Get(Create(dir, Options{}))(t)
	must.Do(t, errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("precious"), 0o644)))
	refused(t, w.Commit(), dir)
	holds(t, filepath.Dir(dir), "out")

	old := written(t)
	before := len(names(t, old))
	w = must.Get(Create(old, Options{Force: true}))(t)
	must.Do(t, os.WriteFile(filepath.Join(old, "mine.txt"), []byte("precious"), 0o644))
	err := w.Commit()
	if refused(t, err, "mine.txt"); !errors.Is(err, ErrExists) {
		t.Errorf("an own file in the report that is replaced: %v", err)
	}
	holds(t, filepath.Dir(old), "report")
	if len(names(t, old)) != before+1 || read(t, old, "mine.txt") != "precious" || read(t, dir, "mine.txt") != "precious" {
		t.Errorf("there are %q", names(t, old))
	}
}
