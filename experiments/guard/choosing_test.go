package guard

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// update rewrites the table in docs/CHOOSING.md: go test ./experiments/guard -run Choosing -update.
var update = flag.Bool("update", false, "rewrite the table in docs/CHOOSING.md")

// choosingMark encloses the table.
const choosingMark = "<!-- made by: go test ./experiments/guard -run Choosing -update -->\n"

// words say what a guard is. The page has the guards that are listed here.
var words = map[string]string{
	"nothing":           "nothing",
	"stale Bloom":       "Bloom filter, never rebuilt",
	"Bloom and digests": "Bloom filter and a set of digests of deleted keys",
	"Bloom, rebuilt":    "Bloom filter, rebuilt at each tenth deleted",
	"counting Bloom":    "counting Bloom filter",
	"cuckoo":            "`cuckoo.Filter`, 10 bits",
}

// TestChoosing_TableIsOfTheStoredRun holds the table of docs/CHOOSING.md to the results that are kept.
func TestChoosing_TableIsOfTheStoredRun(t *testing.T) {
	lab.PaperNeeds64(t)
	docs := filepath.Join("..", "..", "docs")
	raw, err := lab.ReadRaw(filepath.Join(docs, "results", "paper"))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := lab.Registry{Experiments: All()}.Rebuild(raw.Options, map[string]report.Table{"guard": raw.Tables["guard"]})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(docs, "CHOOSING.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), choosingMark)
	if len(parts) != 3 {
		t.Fatalf("%s: want the line %q twice", name, choosingMark)
	}
	want := parts[0] + choosingMark + choosing(findings[0].Data) + choosingMark + parts[2]
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what the results say: go test ./experiments/guard -run Choosing -update", name)
	}
}

// choosing is the table, at 90% absent keys, over all steps.
func choosing(d *lab.Data) string {
	t := report.Table{Columns: []string{"guard", "memory in the end", "wasted reads per 1000 queries", "mean time of a query",
		"time to keep it current"}}
	for _, k := range kinds {
		if words[k.name] == "" {
			continue
		}
		of := func(count string) float64 { return sum(d, k.name, "90", count) }
		per := func(unit float64, count string, digits int) string {
			return claims.Digits(of(count)/of("queries")/unit, digits)
		}
		last, kept := claims.Bytes(int(memory(d, k.name))), claims.Digits((of("delete_ns")+of("rebuild_ns"))/1e6, 2)+" ms"
		if k.rebuild > 0 {
			kept += ", or " + claims.Digits(of("riding_ns")/1e6, 2) + " ms in a scan that is made anyway"
		}
		if k.spec.Kind == "" {
			last, kept = "0", "0"
		}
		t.Add(words[k.name], last, per(.001, "wasted", 3), per(1000, "ns", 2)+" µs", kept)
	}
	return t.Marked()
}
