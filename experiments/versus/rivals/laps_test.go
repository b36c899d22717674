package rivals

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nestfilter/nest/experiments/must"
)

// What is told of a program includes how it was built.
func TestOptions_SourceTellsTheLevel(t *testing.T) {
	level := new(Options).source(nil).Settings["level"]
	if runtime.GOARCH == "amd64" && !regexp.MustCompile(`^GOAMD64=v\d$`).MatchString(level) {
		t.Errorf("level %q", level)
	}
}

// check says what no run measures.
func (r *Row) check() error {
	for _, rounds := range r.Times[find:batch] {
		if n := len(rounds); n != len(r.Times[find]) || n > 0 && n != len(r.Times[add]) {
			return fmt.Errorf("%+v", *r)
		}
	}
	if r.Name == "" || r.Slots < MinSlots || r.Keys != KeysOf(r.Slots) || r.SizeBits <= 0 || len(r.Times[add]) == 0 ||
		r.Lost > 2*r.Keys || r.Rate.N == 0 || r.Rate.Events > r.Rate.N {
		return fmt.Errorf("%+v", *r)
	}
	return nil
}

// allSizes is a league of every size, without rows.
func allSizes() *Result {
	r := new(Result)
	for slots := MinSlots; slots <= MaxSlots; slots *= 2 {
		r.Rows = append(r.Rows, &Row{Slots: slots})
	}
	return r
}

func TestKept_FoldersAreOfModulesThatAreNotRequired(t *testing.T) {
	r := allSizes()
	sizes := len(r.Rows)
	must.Do(t, r.keep(keptFiles))
	modules := map[string]bool{}
	for _, row := range r.Rows[sizes:] {
		modules[row.Module] = true
		if err := row.check(); err != nil || !regexp.MustCompile(`^v\d\S+, 20\d\d-\S+, AMD`).MatchString(row.Kept) {
			t.Errorf("%q: %v", row.Kept, err)
		}
	}
	if len(modules) != 4 {
		t.Errorf("modules %v", modules)
	}
	for _, c := range Contenders() {
		if modules[c.Module] {
			t.Errorf("%s is required in go.mod, and its laps are kept", c.Module)
		}
	}
}

// A journal that no run writes is an error that names it, and the line.
func TestKept_RefusesWhatNoRunWrites(t *testing.T) {
	good := string(must.Get(fs.ReadFile(keptFiles, "kept/linvon.journal"))(t))
	for name, c := range map[string]struct{ old, new, want string }{
		"as it is":       {"", "", ""},
		"no JSON":        {`{"manifest"`, `"manifest"`, "kept/bad:1: corrupt line"},
		"no number":      {"62259", "many", `kept/bad:3: "many" is no number`},
		"less than none": {"62259", "-1", `kept/bad:3: "-1" is no number`},
	} {
		text := ""
		for line := range strings.Lines(strings.Replace(good, c.old, c.new, 1)) {
			body := strings.TrimSuffix(line[9:], "\n")
			text += fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(body)), body)
		}
		err := allSizes().keep(fstest.MapFS{"kept/bad": {Data: []byte(text)}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := allSizes().keep(fstest.MapFS{"kept/x": {}}); err == nil {
		t.Error("an empty file is no error")
	}
}
