package sweep

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
)

// goldenRow is the third row of the small grid.
const goldenRow = `cuckoo,8,4,additive,breadth-first,mix64,1024,1,0,0xce4205daa8a7d3d9,1024,1025,1011,1011,0.987305,227,6,0,133,4096,0.0324707,0.0274656,0.038352,0.0304408,8.16617`

func TestFloats_ReadsListsAndRanges(t *testing.T) {
	for text, want := range map[string]string{
		"8..12": "[8 9 10 11 12]", "2,4": "[2 4]", "1e3,2^10": "[1000 1024]", "0.5..0.9:0.1": "[0.5 0.6 0.7 0.8 0.9]",
		"4, 4 ,5": "[4 5]", "8..12:2": "[8 10 12]", "8..11:2": "[8 10]", "7..7": "[7]",
	} {
		if got, err := Floats(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "8..", "..8", "9..8", "1..2:0", "1..2:-1", "2^", "2^99", "1..2..3", "NaN", "Inf", "1,,2", "2^-1"} {
		if got, err := Floats(text); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), "want a number") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0.5", "1e30"} {
		if got, err := Ints(text); !errors.Is(err, ErrGrid) {
			t.Errorf("integers %q: %v, %v", text, got, err)
		}
	}
}

// TestFloats_RefusesRangesThatWouldMeasureOneEndOnly: such a range was taken for its first value.
func TestFloats_RefusesRangesThatWouldMeasureOneEndOnly(t *testing.T) {
	for text, want := range map[string]string{
		"0.5..0.9":     `"0.5..0.9": want a step behind a colon, such as 0.5..0.9:0.1`,
		"0.5..2":       "such as 0.5..2:0.1",
		"1..2.5":       "such as 1..2.5:0.1",
		"0.5..0.9:0.6": `"0.5..0.9:0.6": want a step of at most 0.4`,
		"8..9:2":       "want a step of at most 1",
		"0..1:1e-9":    "want at most 1000000 values",
	} {
		if got, err := Floats(text); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"0.5..0.9:0.4": "[0.5 0.9]", "0.1..0.3:0.2": "[0.1 0.3]", "0.5..0.5:0.1": "[0.5]", "0..1": "[0 1]", "0.1..0.4:0.1": "[0.1 0.2 0.3 0.4]"} {
		if got, err := Floats(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	// As many values as a grid may have are read at once, not in hours.
	if got, err := Floats("1..1000000,1e6"); err != nil || len(got) != maxCells {
		t.Errorf("%d values, %v, want %d", len(got), err, maxCells)
	}
}

func TestParse_ListsWhatIsKnown(t *testing.T) {
	text := smallText()
	text.Placements, text.Policies, text.Hashes, text.Filters, text.Widths = []string{"plain"}, []string{"x"}, []string{"maphash"}, []string{"y"}, "z"
	_, err := Parse(text, own())
	for _, want := range []string{
		`"plain" is unknown: want some of additive, xor, plainxor, region`, "random-walk, round-robin, look-ahead, mine", "tabulation, xxh64:9", "want some of cuckoo, set", `f: grid cannot be measured: "z"`,
	} {
		if err == nil || !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

// TestPlan_RefusesWhatCannotBeMade: a zero too, which a package below would take for its default.
func TestPlan_RefusesWhatCannotBeMade(t *testing.T) {
	for want, change := range map[string]func(*Grid){
		"f: 0, want 1 to 32":      func(g *Grid) { g.Widths = []int{8, 0} },
		"f: 33, want":             func(g *Grid) { g.Widths = []int{33} },
		"f: -1, want":             func(g *Grid) { g.Widths = []int{-1} },
		"b: 0, want 1, 2, 4 or 8": func(g *Grid) { g.BucketSizes = []int{4, 0} },
		"b: -4, want":             func(g *Grid) { g.BucketSizes = []int{-4} },
		"b: 3, want":              func(g *Grid) { g.BucketSizes = []int{3} },
		"n: 0, want at least 1":   func(g *Grid) { g.Slots = []int{0} },
		"load: 0, want above 0":   func(g *Grid) { g.Loads = []float64{0} },
		"load: 1.5":               func(g *Grid) { g.Loads = []float64{1.5} },
		"load: NaN":               func(g *Grid) { g.Loads = []float64{math.NaN()} },
		"kick: no value":          func(g *Grid) { g.Policies = nil },
		"seeds: no value":         func(g *Grid) { g.Trials = 0 },
		"seeds: no":               func(g *Grid) { g.Trials = -1 },
		"probes: 0":               func(g *Grid) { g.Probes = 0 },
		"more than 1000000 cells": func(g *Grid) { g.Trials = 1 << 30 },
		"want at least 262144":    func(g *Grid) { g.Placements = catalogue.Placements() },
	} {
		g := small(t)
		change(&g)
		if _, _, err := g.Plan(1); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestEstimate_CountsTheLargestTables(t *testing.T) {
	g := small(t)
	g.Widths, g.Slots = []int{8}, []int{1 << 10, 1 << 20, 1 << 24}
	_, one, err := g.Plan(1)
	if err != nil {
		t.Fatal(err)
	}
	_, three, err := g.Plan(3)
	if err != nil || one.Cells != 24 || one.Bytes < 16<<20 || one.Bytes > 17<<20 || three.Bytes < 3*one.Bytes-64 || one.Time <= three.Time {
		t.Errorf("%v: %+v on one worker, %+v on three", err, one, three)
	}
	if err := three.Enough(int64(three.Bytes)); err != nil {
		t.Error(err)
	}
	if err := three.Enough(int64(three.Bytes) - 1); !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "48 MiB at a time") {
		t.Error(err)
	}
	if err := three.Enough(math.MaxInt64); err != nil {
		t.Errorf("unknown memory: %v", err)
	}
}

func TestHashes_AreRepeatable(t *testing.T) {
	hashes, err := Hashes(lab.Parts{})
	if err != nil || len(hashes) < 5 {
		t.Fatalf("%v, %v", hashes, err)
	}
	for _, h := range hashes {
		if h.Name == "maphash" || h.Name == "siphash" {
			t.Errorf("%s cannot be measured again", h.Name)
		}
	}
}
