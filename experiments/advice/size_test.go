package advice

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

var update = flag.Bool("update", false, "write the golden files anew")

// specs are the questions whose answers are kept as golden files.
var specs = []Spec{
	{Keys: 1_000_000, FPR: 0.001},
	{Keys: 1_000_000, FPR: 0.001, Delete: true},
	{Keys: 1_000_000, FPR: 0.01},
	{Keys: 1_000_000, FPR: 0.0019, Layouts: []cuckoo.Layout{cuckoo.SemiSorted}},
	{Keys: 1_000_000, FPR: 0.0019, Layouts: []cuckoo.Layout{cuckoo.PairedSlots}},
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

func (s Spec) file() string {
	name := fmt.Sprintf("keys=%d,fpr=%v", s.Keys, s.FPR)
	if s.Delete {
		name += ",delete"
	}
	for _, l := range s.Layouts {
		name += "," + l.String()
	}
	return name + ".txt"
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./experiments/advice -update writes it anew):\n%s", file, got)
	}
}

func TestFor_Golden(t *testing.T) {
	for _, s := range specs {
		if s.Keys == 0 {
			continue // more keys than this build can count
		}
		r, err := For(s)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		var got bytes.Buffer
		if err := r.Write(&got, 0); err != nil {
			t.Fatal(err)
		}
		golden(t, s.file(), got.Bytes())
	}
}

// Every plan reaches the rate, and every filter that it describes has the size and the rate planned.
func TestFor_PlansAreWhatIsMade(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 54_321} {
		for _, fpr := range []float64{0.3, 0.01, 0.0005, 1e-7} {
			s := Spec{Keys: n, FPR: fpr}
			r, err := For(s)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			for _, p := range r.Plans {
				if p.FPR > fpr {
					t.Errorf("%v: %v has rate %v", s, p, p.FPR)
				}
				bytes, rate := made(t, p, s)
				if bytes != p.Bytes || math.Abs(rate/p.FPR-1) > 1e-9 {
					t.Errorf("%v: %v was planned with %d bytes and rate %v, made with %d and %v", s, p, p.Bytes, p.FPR, bytes, rate)
				}
			}
		}
	}
}

// made returns the size of the filter that the plan describes and the rate predicted for its shape.
func made(t *testing.T, p Plan, s Spec) (bytes int, rate float64) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatalf("%v: %v: %v", s, p, err)
		}
	}
	c := bloom.Config{Capacity: s.Keys, FalsePositiveRate: s.FPR}
	switch p.Kind {
	case Cuckoo, SemiSorted, PairedSlots:
		f, err := cuckoo.New[fingerprint.Any](cuckoo.Config{
			FingerprintBits: int(p.Width), Capacity: s.Keys, BucketSize: p.BucketSize, Layout: p.Spec.Layout,
			Placement: p.Placement})
		check(err)
		return f.SizeBytes(), f.Config().PredictRate(p.Width, s.Keys)
	case Blocked:
		f, err := bloom.NewBlocked(c)
		check(err)
		return f.SizeBytes(), bloom.PredictBlockedRate(f.Slots(), f.Config().Hashes, s.Keys)
	case SplitBlock:
		f, err := bloom.NewSplitBlock(c)
		check(err)
		return f.SizeBytes(), bloom.PredictSplitBlockRate(f.Slots(), s.Keys)
	case Counting:
		f, err := counting.New(counting.Config{Capacity: s.Keys, FalsePositiveRate: s.FPR})
		check(err)
		return f.SizeBytes(), bloom.PredictRate(f.Slots(), f.Config().Hashes, s.Keys)
	case DLeft:
		f, err := counting.NewDLeft(counting.DLeftConfig{Capacity: s.Keys, FalsePositiveRate: s.FPR})
		check(err)
		return f.SizeBytes(), p.FPR // its prediction is a function of the resolved configuration
	default:
		f, err := bloom.New(c)
		check(err)
		return f.SizeBytes(), bloom.PredictRate(f.Slots(), f.Config().Hashes, s.Keys)
	}
}

// Every kind of package nest and every layout has a row under a name of its own, but for those that are made for
// goroutines and not for the smallest size.
func TestRows_HaveEveryKindAndLayout(t *testing.T) {
	seen := map[string]bool{}
	check := func(s nest.Spec) {
		if r := rowOf(s); r.typ == "" || seen[r.name] {
			t.Errorf("%+v has no row, or the name %q comes twice", s, r.name)
		} else {
			seen[r.name] = true
		}
	}
	for _, k := range nest.Kinds() {
		if k != nest.Best && k != nest.Scalable && k != nest.ConcurrentCuckoo && k != nest.ConcurrentBloom {
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
	if len(seen) != len(rows) || rowOf(nest.Spec{Kind: "x"}).name != "x" {
		t.Errorf("%d rows, want %d", len(rows), len(seen))
	}
}

// The recommended filter is the smallest, or one within Slack of it that touches fewer lines; with
// Delete every plan deletes; the others are sorted by size.
func TestFor_Ranking(t *testing.T) {
	for _, del := range []bool{false, true} {
		for exp := 1.; exp < 30; exp += 0.7 {
			r, err := For(Spec{Keys: 300_000, FPR: math.Exp2(-exp), Delete: del})
			if err != nil {
				t.Fatal(err)
			}
			first, smallest := r.Plans[0], r.smallest()
			lines := func(p Plan) int { return p.LinesHit + p.LinesMiss }
			if first.Bytes != smallest.Bytes && (ratio(first, smallest) > 1+Slack || lines(first) >= lines(smallest)) {
				t.Errorf("rate 2^-%.1f: %v is first, %v is the smallest", exp, first, smallest)
			}
			for i, p := range r.Plans {
				if del && !p.Deletes {
					t.Errorf("rate 2^-%.1f: %v cannot delete", exp, p)
				}
				if i > 1 && p.Bytes < r.Plans[i-1].Bytes {
					t.Errorf("rate 2^-%.1f: %v comes after %v", exp, p, r.Plans[i-1])
				}
				if p.OverBound() < 0 && p.FPR < 0.1 {
					t.Errorf("rate 2^-%.1f: %v beats the bound by %v bits", exp, p, -p.OverBound())
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
		{Spec{Keys: 1_000_000, FPR: 1e-15}, "lowest reachable rate is 5.42e-14"},
		{Spec{Keys: wide(math.MaxInt64 / 2), FPR: 0.3},
			"no filter holds 4611686018427387903 keys at a rate of 0.3: its largest table is too small"},
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

// The Go code of each kind compiles, and the filter that it makes has the planned size: of plans for a
// rate, and of plans for so many bits, which the code gives as they are.
func TestCode_CompilesAndRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	seen := map[string]bool{}
	var source, want strings.Builder
	source.WriteString("package main\n\nimport (\n")
	for _, path := range []string{"bloom", "counting", "cuckoo", "fingerprint"} {
		fmt.Fprintf(&source, "%q\n", "github.com/nestfilter/nest/"+path)
	}
	source.WriteString(`)

func show(f interface{ SizeBytes() int }, err error) {
	if err != nil {
		panic(err)
	}
	println(f.SizeBytes())
}

func main() {
`)
	for _, s := range []Spec{{Keys: 12_345, FPR: 0.004}, {Keys: 12_345}} {
		for _, c := range candidates() {
			c.Spec.Capacity, c.Spec.FalsePositiveRate = s.Keys, s.FPR
			if s.FPR == 0 {
				c.Spec.BitsPerItem = 22.5
			}
			plans, err := Plans(c.Spec)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			_, call := code(plans[0], s)
			if !strings.HasSuffix(Code(plans[0], s), "\treturn "+call+"\n}\n") {
				t.Errorf("%s: the code is not formatted Go:\n%s", c.Name, Code(plans[0], s))
			}
			fmt.Fprintf(&source, "\tshow(%s)\n", call)
			fmt.Fprintln(&want, plans[0].Bytes)
			seen[c.Name] = true
		}
	}
	source.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || string(out) != want.String() {
		t.Errorf("%v, printed %q, want %q\n%s", err, out, want.String(), source.String())
	}
	if len(seen) != len(candidates()) {
		t.Errorf("only %v were tried", seen)
	}
}

// Beyond the filters' default MaxBytes the code asks for what it needs.
func TestCode_LargeTables(t *testing.T) {
	s := Spec{Keys: wide(20_000_000_000), FPR: 0.001}
	if s.Keys == 0 {
		t.Skip("more keys than a 32-bit build can count")
	}
	plans, err := Plans(nest.Spec{Kind: nest.Cuckoo, Capacity: s.Keys, FalsePositiveRate: s.FPR, BucketSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	p := plans[0]
	code := Code(p, s)
	for _, want := range []string{"Capacity: 20_000_000_000", "BucketSize: 8", "MaxBytes: " + group(p.Bytes, '_'),
		"20,000,000,000 keys"} {
		if !strings.Contains(code, want) {
			t.Errorf("%q is not in\n%s", want, code)
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

// TestAllPlans_RankAsNestPlans: what is best among plans of several layouts was decided by size alone, even where the
// size is given and the rate decides.
func TestAllPlans_RankAsNestPlans(t *testing.T) {
	layouts := []cuckoo.Layout{cuckoo.SemiSorted, cuckoo.PairedSlots}
	for _, s := range []nest.Spec{
		{FalsePositiveRate: 0.1}, {FalsePositiveRate: 0.03}, {FalsePositiveRate: 0.01}, {FalsePositiveRate: 0.0019},
		{FalsePositiveRate: 1e-6},
		{BitsPerItem: 5}, {BitsPerItem: 7.3}, {BitsPerItem: 9}, {BitsPerItem: 11.5}, {BitsPerItem: 12.7}, {BitsPerItem: 20},
	} {
		s.Capacity = 1_000_000
		all, err := AllPlans(s, layouts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all[1:] {
			q, sized := all[0], s.BitsPerItem != 0
			if sized && p.FPR < q.FPR || !sized && float64(q.Bytes) > (1+Slack)*float64(p.Bytes) {
				t.Errorf("%v is before %v", q, p)
			}
		}
		for _, l := range layouts {
			s.Layout = l
			want, err := Plans(s)
			if err != nil {
				t.Fatal(err)
			}
			s.Layout = cuckoo.Packed
			if got, err := AllPlans(s, l); err != nil || got[0] != want[0] || len(got) != len(want) {
				t.Errorf("%+v with %v: %v (%v), want %v", s, l, got, err, want)
			}
		}
	}
}
