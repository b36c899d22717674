package advice

import (
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// specs are the questions whose answers are kept in one golden file, as each of them lists all layouts.
var specs = []Spec{
	{Keys: 1_000_000, FPR: 0.001},
	{Keys: 1_000_000, FPR: 0.001, Delete: true},
	{Keys: 1_000_000, FPR: 0.01},
	{Keys: 1_000_000, FPR: 0.0019, Flags: []string{"semi-sort"}},
	{Keys: 1_000_000, FPR: 0.0019, Flags: []string{"paired-slots"}},
	{Keys: 1_000_000, FPR: 0.0019, Flags: []string{"static"}},
	{Keys: 1000, FPR: 1e-12},
	{Keys: wide(1_000_000_000_000), FPR: 0.001, Delete: true},
}

// wide returns n, or 0 where an int has 32 bits: tests of such a number are left out there.
func wide(n int64) int {
	if n > math.MaxInt {
		return 0
	}
	return int(n)
}

// written is what is printed.
func written(t *testing.T, of interface {
	Write(w io.Writer, width int) error
}) string {
	t.Helper()
	var b strings.Builder
	if err := of.Write(&b, 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must.Get(0, os.WriteFile(file, []byte(got), 0o644))(t)
	}
	want := must.Get(os.ReadFile(file))(t)
	if bits.UintSize == 32 {
		want = want[:min(len(got), len(want))] // without the last of specs
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./experiments/advice -update writes it anew):\n%s", file, got)
	}
}

func TestFor_Golden(t *testing.T) {
	var all strings.Builder
	for _, s := range specs {
		if s.Keys > 0 { // else more keys than this build can count
			fmt.Fprintf(&all, "== delete=%t flags=%q\n\n%s\n", s.Delete, s.Flags, written(t, must.Get(For(s))(t)))
		}
	}
	golden(t, "size.txt", all.String())
}

// Every plan reaches the rate, and every filter that its code describes has the size and the rate planned.
func TestFor_PlansAreWhatIsMade(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 54_321} {
		hs := make([]uint64, n)
		for i := range hs {
			hs[i] = hashing.Mix64(uint64(i))
		}
		for _, fpr := range []float64{0.3, 0.01, 0.0005, 1e-7} {
			for _, p := range must.Get(For(Spec{Keys: n, FPR: fpr}))(t).Plans {
				if p.FPR > fpr {
					t.Errorf("%d keys, %v: %v has rate %v", n, fpr, p, p.FPR)
				}
				var coded nest.Spec
				_, text, _ := strings.Cut(p.Code(), `s.Set("`)
				text, _, _ = strings.Cut(text, `"`)
				must.Get(0, coded.Set(text))(t)
				for _, s := range []nest.Spec{p.Spec, coded} {
					keys := hs
					if !p.isStatic() {
						keys = nil // the others are made for them
					}
					f, plans := must.Get(nest.Build(s, keys))(t), must.Get(nest.Plans(coded))(t)
					if f.SizeBytes() != p.Bytes || plans[0].FalsePositiveRate != p.FPR {
						t.Errorf("%d keys, %v: %v was planned with %d bytes and rate %v, made with %d and %v", n, fpr, p, p.Bytes, p.FPR,
							f.SizeBytes(), plans[0].FalsePositiveRate)
					}
				}
				if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+p.Code(), 0); err != nil {
					t.Errorf("%v\n%s", err, p.Code())
				}
			}
		}
	}
}

// Every kind of package nest and every layout is in the catalogue under a name of its own, but for those that are made
// for goroutines and not for the smallest size.
func TestKinds_HaveEveryKindAndLayout(t *testing.T) {
	seen := map[string]bool{}
	check := func(s nest.Spec) {
		at := slices.IndexFunc(catalogue.Kinds(), func(k catalogue.Kind) bool {
			return k.Spec.Kind == s.Kind && k.Spec.Layout == s.Layout && !seen[k.Name]
		})
		if at < 0 {
			t.Fatalf("%v is in no entry, or its name comes twice", s)
		}
		seen[catalogue.Kinds()[at].Name] = true
	}
	for _, k := range nest.Kinds() {
		if k != nest.Best && k != nest.Scalable && k != nest.ConcurrentCuckoo && k != nest.ConcurrentBloom &&
			k != nest.Window {
			check(nest.Spec{Kind: k})
		}
	}
	for l := cuckoo.Packed + 1; ; l++ {
		if _, err := l.MarshalText(); err != nil {
			break
		}
		if l != cuckoo.Words {
			check(nest.Spec{Kind: nest.Cuckoo, Layout: l})
		}
	}
	if len(seen) != len(catalogue.Kinds()) {
		t.Errorf("%d kinds, want %d", len(catalogue.Kinds()), len(seen))
	}
}

// The recommended filter is the one that package nest would take, of the layouts that are asked for; with Delete every
// plan deletes; the others are sorted by size.
func TestFor_Ranking(t *testing.T) {
	for _, c := range []struct {
		s     Spec
		asked nest.Spec
	}{
		{Spec{}, nest.Spec{}}, {Spec{Delete: true}, nest.Spec{MustDelete: true}},
		{Spec{Flags: []string{"semi-sort"}}, nest.Spec{Layout: cuckoo.SemiSorted}},
		{Spec{Flags: []string{"paired-slots"}}, nest.Spec{Layout: cuckoo.PairedSlots}},
		{Spec{Flags: []string{"static"}}, nest.Spec{Kind: nest.Fuse}},
	} {
		for exp := 1.; exp < 30; exp += 0.7 {
			s, asked := c.s, c.asked
			if asked.Kind == nest.Fuse && exp < 5 {
				continue // a blocked Bloom filter is little larger and has fewer lines, which counts across kinds
			}
			s.Keys, s.FPR = 300_000, math.Exp2(-exp)
			asked.Capacity, asked.FalsePositiveRate = s.Keys, s.FPR
			plans, best := must.Get(For(s))(t).Plans, must.Get(nest.Plans(asked))(t)[0].Spec
			if best.MustDelete = false; plans[0].Spec != best {
				t.Errorf("%+v: %v is first, want %v", s, plans[0], best)
			}
			for i, p := range plans {
				if s.Delete && !p.Deletes {
					t.Errorf("%+v: %v cannot delete", s, p)
				}
				if i > 1 && p.Bytes < plans[i-1].Bytes {
					t.Errorf("%+v: %v comes after %v", s, p, plans[i-1])
				}
				if p.OverBound() < 0 && p.FPR < 0.1 {
					t.Errorf("%+v: %v beats the bound by %v bits", s, p, -p.OverBound())
				}
			}
		}
	}
}

func TestFor_BadSpecs(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Keys: 0, FPR: 0.01}, "keys is 0"},
		{Spec{Keys: -5, FPR: 0.01}, "keys is -5"},
		{Spec{Keys: 10, FPR: 0}, "fpr is 0"},
		{Spec{Keys: 10, FPR: 1}, "fpr is 1"},
		{Spec{Keys: 10, FPR: -0.1}, "fpr is -0.1"},
		{Spec{Keys: 10, FPR: math.NaN()}, "fpr is NaN"},
		{Spec{Keys: 10, FPR: math.Inf(1)}, "fpr is +Inf"},
		{Spec{Keys: 1_000_000, FPR: 1e-15}, "the lowest reachable rate is 5.42e-14"},
		{Spec{Keys: wide(math.MaxInt64 / 2), FPR: 0.3},
			"no filter holds 4611686018427387903 keys at a rate of 0.3: bloom: table too large"},
	} {
		if c.spec.Keys == 0 && c.want != "keys is 0" {
			continue // more keys than this build can count
		}
		r, err := For(c.spec)
		if !errors.Is(err, ErrSpec) || r != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want ErrSpec with %q", c.spec, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: the error has several lines: %v", c.spec, err)
		}
	}
}

func ExampleFor() {
	r, err := For(Spec{Keys: 1_000_000, FPR: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Plans[0])
	// Output: cuckoo f=13 b=4 additive
}

// TestFor_Window: filters that forget are sized for the keys of a window, and the code has the window.
func TestFor_Window(t *testing.T) {
	r := must.Get(For(Spec{Keys: 1_000_000, FPR: .01, Window: time.Hour}))(t)
	if p := r.Plans[0]; len(r.Plans) != 3 || p.Spec.Kind != nest.Window || p.BitsPerItem > 15.7 || p.FPR > .01 ||
		!strings.Contains(r.Code, "/window=1h0m0s") {
		t.Errorf("%+v\n%s", r.Plans, r.Code)
	}
}
