package rivals

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nestfilter/nest/experiments/report"
)

// What the page tells of a program includes how it was built.
func TestSource_TellsBuilds(t *testing.T) {
	bare := Source{report.Manifest{Machine: report.Machine{CPU: "A", Cores: 1, GOOS: "linux", GOARCH: "amd64", Go: "go1.26"}}}
	guided := bare
	guided.Settings = map[string]string{"level": "GOAMD64=v1", "profile": "league.prof"}
	for got, want := range map[string]string{
		guided.Where():             "A, 1 core, linux/amd64, go1.26, GOAMD64=v1 -pgo=league.prof",
		bare.Where():               "A, 1 core, linux/amd64, go1.26",
		guided.Command("--n 2^16"): "GOAMD64=v1 go run -pgo=league.prof ./league --n 2^16",
		bare.Command("--n 2^16"):   "go run ./league --n 2^16",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if level, _ := buildSettings(); runtime.GOARCH == "amd64" && !strings.HasPrefix(level, "GOAMD64=v") {
		t.Errorf("level %q", level)
	}
}

// check says what no run measures.
func (l *Lap) check() error {
	none := slices.Contains(l.Times[find:batch], 0)
	switch {
	case l.Filter == "" || l.Slots < MinSlots || l.Slots&(l.Slots-1) != 0 || l.Keys != KeysOf(l.Slots) || l.Bytes <= 0:
		return fmt.Errorf("%+v", *l)
	case l.Times[add] == 0 || none && slices.Max(l.Times[find:batch]) > 0 || l.Lost > 2*l.Keys || l.Asked == 0 || l.False > l.Asked:
		return fmt.Errorf("%+v", *l)
	}
	return nil
}

func TestKept_FoldersAreOfModulesThatAreNotRequired(t *testing.T) {
	all, err := Kept()
	if err != nil || len(all) != 4 {
		t.Fatalf("%d modules, %v", len(all), err)
	}
	for _, l := range all {
		for _, c := range Contenders() {
			if c.Module == l.Source.Settings["module"] {
				t.Errorf("%s is required in go.mod, and its laps are kept", c.Module)
			}
		}
		for _, lap := range l.All {
			if err := lap.check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A journal that no run writes is an error that names it, and the line.
func TestKept_RefusesWhatNoRunWrites(t *testing.T) {
	good := string(must(fs.ReadFile(keptFiles, "kept/linvon.journal"))(t))
	for name, c := range map[string]struct{ old, new, want string }{
		"as it is":       {"", "", ""},
		"no JSON":        {`{"manifest"`, `"manifest"`, "kept/bad:1: corrupt line"},
		"no module":      {`"module":"github.com/linvon/cuckoo-filter"`, `"module":""`, "want a module"},
		"no commit":      {`"commit":"9`, `"commit":"`, "40 digits"},
		"other columns":  {`"probes"`, `"prods"`, "want the columns series,slots"},
		"no number":      {"62259", "many", `kept/bad:3: "many" is no number`},
		"less than none": {"62259", "-1", `kept/bad:3: "-1" is no number`},
	} {
		text := ""
		for line := range strings.Lines(strings.Replace(good, c.old, c.new, 1)) {
			body := strings.TrimSuffix(line[9:], "\n")
			text += fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(body)), body)
		}
		_, err := kept(fstest.MapFS{"kept/bad": {Data: []byte(text)}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := kept(fstest.MapFS{"kept/x": {}}); err == nil {
		t.Error("an empty file is no error")
	}
}
