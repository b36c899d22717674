package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

func TestVerify_NamesEveryDeparture(t *testing.T) {
	dir := written(t)
	m := must.Get(ReadManifest(dir))(t)
	if problems, err := m.Verify(dir); err != nil || len(problems) != 0 {
		t.Fatalf("a new report: %v, %v", problems, err)
	}
	same := []byte(read(t, dir, "fig4.csv"))
	same[3] ^= 1
	path := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, errors.Join(os.WriteFile(path("fig3.csv"), nil, 0o644), os.WriteFile(path("fig4.csv"), same, 0o644),
		os.Remove(path("report.md")), os.Remove(path("bench.txt")), os.Mkdir(path("bench.txt"), 0o755),
		os.WriteFile(path("own.txt"), nil, 0o644), os.Mkdir(path("below"), 0o755)))
	problems := must.Get(m.Verify(dir))(t)
	if len(problems) != 6 {
		t.Errorf("%q", problems)
	}
	comeInOrder(t, fmt.Sprint(problems), "[fig3.csv: changed: 0 bytes, the manifest says 27 ", "fig4.csv: changed: SHA-256 is ",
		"bench.txt: changed: is no regular file", "report.md: missing", "below"+string(filepath.Separator)+": not in the manifest",
		"own.txt: not in the manifest")
}

func TestReadManifest_TrustsNoNames(t *testing.T) {
	sum := strings.Repeat("0", 64)
	for _, c := range []struct{ text, want string }{
		{"", "JSON"},
		{`{"seeds": "one"}`, "seeds"},
		{`{"files": [{"name": "../thesis.tex", "sha256": "` + sum + `"}]}`, `"../thesis.tex" is no name`},
		{`{"files": [{"name": "a\\b", "sha256": "` + sum + `"}]}`, "is no name"},
		{`{"files": [{"name": "manifest.json", "sha256": "` + sum + `"}]}`, "is no name"},
		{`{"files": [{"name": "a", "sha256": "12"}]}`, "no SHA-256"},
		{`{"files": [{"name": "a", "sha256": "` + sum + `"}, {"name": "a", "sha256": "` + sum + `"}]}`, "a is listed twice"},
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, manifestName), []byte(c.text), 0o644))
		_, err := ReadManifest(dir)
		refused(t, err, c.want, dir)
	}
	if _, err := ReadManifest(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, ErrNoReport) {
		t.Error(err)
	}
	empty := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(empty, manifestName), []byte("{}"), 0o644))
	if _, err := ReadManifest(empty); !errors.Is(err, ErrNoReport) || !strings.Contains(err.Error(), "lists no files") {
		t.Error(err)
	}
}

// A report made again keeps what its manifest says of the run.
func TestCreate_FromAnEarlierRun(t *testing.T) {
	dir := written(t)
	was := must.Get(ReadManifest(dir))(t)
	w := must.Get(Create(dir, Options{Force: true, From: was, Argv: []string{"nest", "report"}}))(t)
	defer w.Close()
	r := sample()
	r.Machine = Machine{}
	must.Do(t, errors.Join(w.Add(r, nil), w.Commit()))
	is := must.Get(ReadManifest(dir))(t)
	if is.Machine != was.Machine || !is.Start.Equal(was.Start) || !is.End.Equal(was.End) ||
		strings.Join(is.Argv, " ") != "nest reproduce" {
		t.Errorf("the run is another one: %+v", is)
	}
	if is.Rebuilt == nil || strings.Join(is.Rebuilt.Argv, " ") != "nest report" || is.Rebuilt.At.Before(was.End) {
		t.Errorf("rebuilt %+v", is.Rebuilt)
	}
	if problems, err := is.Verify(dir); err != nil || len(problems) != 0 {
		t.Error(problems, err)
	}
}
