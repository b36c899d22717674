package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoReport is wrapped by the error of [ReadManifest] for a folder that is no report: it is not there
// or holds no manifest.json that lists a file.
var ErrNoReport = errors.New("is no report")

// A Manifest says how a report came about. It lists every file but itself.
type Manifest struct {
	Kind    string   `json:"kind,omitempty"` // of the report: Report.Kind
	Argv    []string `json:"argv"`
	Module  Module   `json:"module"`
	Machine Machine  `json:"machine"`
	Profile string   `json:"profile,omitempty"`
	Seeds   []uint64 `json:"seeds"`
	// Settings are what the results depend on besides: Report.Settings.
	Settings map[string]string `json:"settings,omitempty"`
	// Origins say of each experiment which code on which machine counted its trials: Report.Origins.
	Origins map[string][]Origin `json:"origins,omitempty"`
	Start   time.Time           `json:"start"`
	End     time.Time           `json:"end"`
	// Rebuilt is set where the pages and pictures were made again from the tables of an earlier run.
	// What stands above is then that run's.
	Rebuilt *Rebuilt `json:"rebuilt,omitempty"`
	Files   []File   `json:"files"`
}

// An Origin is what counted some trials of an experiment.
type Origin struct {
	Trials  int    `json:"trials"`
	Module  string `json:"module"`
	Machine string `json:"machine"`
}

// Rebuilt says what made the pages and pictures of a report anew.
type Rebuilt struct {
	Argv   []string  `json:"argv"`
	Module Module    `json:"module"`
	At     time.Time `json:"at"`
}

// A File is a line of the manifest.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	// Timed are the columns of a CSV that the machine decides and not the seed alone.
	Timed []string `json:"timed,omitempty"`
}

// manifestName is written last and marks a folder as a report.
const manifestName = "manifest.json"

// ReadManifest reads the manifest of a folder and checks that it can be trusted to name files: every
// name is plain and there once, every checksum is one. The error names the file; it wraps [ErrNoReport] if there is no
// manifest, or one without files.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("report: folder %q %w: it has no %s", dir, ErrNoReport, manifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	m := new(Manifest)
	if err = json.Unmarshal(data, m); err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", path, err)
	}
	if len(m.Files) == 0 {
		return nil, fmt.Errorf("report: folder %q %w: its %s lists no files", dir, ErrNoReport, manifestName)
	}
	return m, nil
}

func (m *Manifest) check() error {
	seen := map[string]bool{}
	for _, f := range m.Files {
		sum, err := hex.DecodeString(f.SHA256)
		switch {
		case !plainName(f.Name) || f.Name == manifestName:
			return fmt.Errorf("%q is no name of a file of a report", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("%s is listed twice", f.Name)
		case err != nil || len(sum) != sha256.Size:
			return fmt.Errorf("%s: %q is no SHA-256", f.Name, f.SHA256)
		}
		seen[f.Name] = true
	}
	return nil
}

// plainName reports whether a name is that of a file in the folder itself.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

// File returns the line of a file, if the manifest has it.
func (m *Manifest) File(name string) (File, bool) {
	at := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name })
	if at < 0 {
		return File{}, false
	}
	return m.Files[at], true
}

// A Problem is one way in which a folder is not what its manifest says.
type Problem struct{ File, What string } // "fig3.csv", "missing", "changed: ..." or "not in the manifest"

// String is the problem in a line.
func (p Problem) String() string { return p.File + ": " + p.What }

// Verify reads every file of the folder and returns how it departs from the manifest, in the manifest's order, then
// what it does not list. It proves that nothing was altered by
// accident; whoever can write the folder can write its manifest too. The error is that of a folder that cannot be read.
func (m *Manifest) Verify(dir string) (problems []Problem, err error) {
	for _, f := range m.Files {
		if _, what, err := f.read(dir); err != nil {
			return problems, fmt.Errorf("report: folder %q: %w", dir, err)
		} else if what != "" {
			problems = append(problems, Problem{f.Name, what})
		}
	}
	others, err := m.others(dir)
	for _, name := range others {
		problems = append(problems, Problem{name, "not in the manifest"})
	}
	return problems, err
}

// others are the names in a folder that the manifest does not list, sorted; those of folders end in a separator.
func (m *Manifest) others(dir string) (names []string, err error) {
	content, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for _, e := range content {
		name := e.Name()
		if _, listed := m.File(name); listed || name == manifestName {
			continue
		}
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, name)
	}
	return names, nil
}

// read returns the file's content, or what tells it from its line.
func (f File) read(dir string) (data []byte, what string, err error) {
	path := filepath.Join(dir, f.Name)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "missing", nil
	case err != nil:
		return nil, "", err
	case !info.Mode().IsRegular():
		return nil, "changed: is no regular file", nil
	case info.Size() != int64(f.Bytes):
		return nil, fmt.Sprintf("changed: %d bytes, the manifest says %d", info.Size(), f.Bytes), nil
	}
	data, err = os.ReadFile(path)
	if got := sumOf(data); err == nil && !strings.EqualFold(got, f.SHA256) {
		what = fmt.Sprintf("changed: SHA-256 is %s..., the manifest says %s...", got[:12], f.SHA256[:12])
	}
	return data, what, err
}

// sumOf is the SHA-256 of data in hexadecimal digits.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
