package rivals

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
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
	for i, dir := range must(filepath.Glob("kept/*"))(t) { // with the checksums of the rows
		var again Laps
		if err := again.load(dir, ""); err != nil || !slices.Equal(again.All, all[i].All) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// The laps of today's folders were measured when laps were lines of JSON, in nanoseconds per key. Written so again,
// they are the bytes of then.
func TestKept_ConvertedWithoutLoss(t *testing.T) {
	type head struct {
		Seed     uint64 `json:"seed"`
		Machine  string `json:"machine"`
		Go       string `json:"go"`
		Measured string `json:"measured"`
		Module   string `json:"module"`
		Version  string `json:"version"`
		Commit   string `json:"commit"`
		Bytes    bool   `json:"bytes,omitempty"`
		Remark   string `json:"remark"`
	}
	type line struct {
		Filter string      `json:"filter"`
		Slots  int         `json:"slots"`
		Round  int         `json:"round"`
		Keys   int         `json:"keys"`
		Bytes  int         `json:"bytes"`
		Add    float64     `json:"add"`
		Last   float64     `json:"last,omitempty"`
		Find   [5]float64  `json:"find,omitzero"`
		Batch  *[2]float64 `json:"batch,omitempty"`
		Remove float64     `json:"remove,omitempty"`
		Lost   int         `json:"lost"`
		False  int         `json:"false"`
		Asked  int         `json:"asked"`
	}
	was := []string{"e56aeffc80e0aff5", "bd61ba5b2cc74b15", "6ab5f137b3a99065", "dfd928a09788754d"}
	all := must(Kept())(t)
	for i, l := range all {
		var b strings.Builder
		e, s, m := json.NewEncoder(&b), l.Source.Settings, l.Source.Machine
		e.Encode(head{l.Source.Seeds[0], m.String(), m.Go + " " + m.GOOS + "/" + m.GOARCH, l.Source.Measured(), s["module"], s["version"],
			s["commit"], s["bytes"] != "", s["remark"]})
		for _, lap := range l.All {
			old := line{lap.Filter, lap.Slots, lap.Round, lap.Keys, lap.Bytes, lap.ns(add), lap.ns(last), [5]float64{}, nil,
				lap.ns(remove), lap.Lost, lap.False, lap.Asked}
			for i := range old.Find {
				old.Find[i] = lap.ns(find + i)
			}
			if lap.Times[batch] > 0 {
				old.Batch = &[2]float64{lap.ns(batch), lap.ns(batch + 1)}
			}
			e.Encode(old)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))[:16]; sum != was[i] {
			t.Errorf("%s: the bytes are not those of the first file:\n%.600s", s["module"], &b)
		}
	}
}

// A folder that no run writes is an error that names it, and the line.
func TestKept_RefusesWhatNoRunWrites(t *testing.T) {
	good := fstest.MapFS{}
	for _, name := range []string{"manifest.json", "league.csv"} {
		data := must(fs.ReadFile(keptFiles, "kept/linvon/"+name))(t)
		good["kept/bad/"+name] = &fstest.MapFile{Data: data}
	}
	if all, err := kept(good); err != nil || len(all) != 1 {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, old, new, want string }{
		"no JSON":        {"manifest.json", `{`, ``, "kept/bad"},
		"no module":      {"manifest.json", `"module": "github.com/linvon/cuckoo-filter"`, `"module": ""`, "want a module"},
		"no commit":      {"manifest.json", `"commit": "9`, `"commit": "`, "40 digits"},
		"other columns":  {"league.csv", "probes,", "prods,", "want the columns series,slots"},
		"no number":      {"league.csv", "62259", "many", `bad:2: "many" is no number`},
		"less than none": {"league.csv", "62259", "-1", `bad:2: "-1" is no number`},
	} {
		bad := maps.Clone(good)
		text := string(good["kept/bad/"+c.file].Data)
		bad["kept/bad/"+c.file] = &fstest.MapFile{Data: []byte(strings.Replace(text, c.old, c.new, 1))}
		if _, err := kept(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	delete(good, "kept/bad/league.csv")
	if _, err := kept(good); err == nil || !strings.Contains(err.Error(), "kept/bad") {
		t.Errorf("no laps: %v", err)
	}
	if err := new(Laps).load(t.TempDir(), ""); err == nil {
		t.Error("an empty folder is no error")
	}
}
