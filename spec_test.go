package nest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
)

// mentions reports which of the words err does not contain.
func mentions(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v does not mention %q", err, w)
		}
	}
}

// badSpecs are specs that New refuses, and what the error must mention.
var badSpecs = []struct {
	spec  nest.Spec
	words []string
}{
	{nest.Spec{BitsPerItem: 14}, []string{"BitsPerItem 14", "Capacity is 0"}},
	{nest.Spec{FingerprintBits: 12}, []string{"FingerprintBits 12", "Kind best", "scalable"}},
	{nest.Spec{MaxDoublings: 4}, []string{"MaxDoublings 4", "Kind best", "for Kind scalable"}},
	{nest.Spec{FalsePositiveRate: .01, BitsPerItem: 9}, []string{"FalsePositiveRate 0.01", "BitsPerItem 9"}},
	{nest.Spec{FalsePositiveRate: 1e-12}, []string{"1e-12", "32 bits"}},
	{nest.Spec{Kind: nest.Scalable, Slots: 64}, []string{"Slots 64", "Kind scalable grows", "Capacity"}},
	{nest.Spec{Kind: nest.Scalable, Slots: 64, Capacity: 9}, []string{"Capacity 9", "Slots 64"}},
	{nest.Spec{Kind: nest.Scalable, Capacity: 9, BitsPerItem: 9}, []string{"BitsPerItem 9", "Kind scalable grows"}},
	{nest.Spec{Kind: nest.Scalable, BitsPerItem: 9, FingerprintBits: 8},
		[]string{"BitsPerItem 9", "FingerprintBits 8"}},
	{nest.Spec{Kind: nest.Scalable, Placement: cuckoo.XOR},
		[]string{"Placement xor", "Kind scalable", "for Kind cuckoo"}},
	{nest.Spec{Kind: nest.Scalable, Hashes: 3}, []string{"Hashes 3", "Kind scalable"}},
	{nest.Spec{Kind: nest.Scalable, MaxDoublings: -1}, []string{"MaxDoublings is -1"}},
	{nest.Spec{Kind: nest.Scalable, BucketSize: 2}, []string{"BucketSize is 2, want 4 or 8"}},
	{nest.Spec{Kind: nest.Scalable, FingerprintBits: 7}, []string{"FingerprintBits is 7, want 8 to 32"}},
	{nest.Spec{Kind: nest.Scalable, FingerprintBits: 8, FalsePositiveRate: .001}, []string{"0.001", "8 bits"}},
	{nest.Spec{Kind: nest.Scalable, Layout: cuckoo.SemiSorted},
		[]string{"Layout semisorted", "Kind scalable", "for Kind cuckoo"}},
	{nest.Spec{Kind: nest.Scalable, Layout: cuckoo.PairedSlots},
		[]string{"Layout paired", "Kind scalable", "for Kind cuckoo"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, BucketSize: 2, Layout: cuckoo.PairedSlots},
		[]string{"BucketSize is 2, want 4 or 8 for layout paired"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, Concurrent: true},
		[]string{"Kind cuckoo", "Concurrent", "concurrent-cuckoo or concurrent-bloom"}},
	{nest.Spec{Kind: nest.ConcurrentBloom, Capacity: 9, FalsePositiveRate: .1, MustDelete: true},
		[]string{"Kind concurrent-bloom cannot delete"}},
	{nest.Spec{Concurrent: true}, []string{"Capacity is 0 and Concurrent is set"}},
	{nest.Spec{Kind: nest.ConcurrentCuckoo, Capacity: 9, FalsePositiveRate: .1, BucketSize: 4, Seed: 3,
		Kick: "random-walk"}, []string{"BucketSize 4 is set, which Kind concurrent-cuckoo does not have", "Seed 3",
		"Kick random-walk"}},
	{nest.Spec{Kind: nest.ConcurrentCuckoo, Slots: 12, FingerprintBits: 12},
		[]string{"Slots is 12, want a multiple of 5"}},
	{nest.Spec{Kind: nest.ConcurrentCuckoo, Slots: 10, FingerprintBits: 7},
		[]string{"FingerprintBits is 7, want at least 8"}},
	{nest.Spec{Kind: nest.Scalable, Layout: cuckoo.Words},
		[]string{"Layout words", "Kind scalable", "for Kind cuckoo"}},
	{nest.Spec{Kind: nest.Bloom, Capacity: 9, FalsePositiveRate: .1, MaxDoublings: 4},
		[]string{"MaxDoublings 4", "Kind bloom", "Kind scalable"}},
	{nest.Spec{Kind: "bllom", Capacity: 9, FalsePositiveRate: .1},
		[]string{`"bllom"`, "best, cuckoo, bloom, blocked-bloom", "counting", "dleft"}},
	{nest.Spec{Capacity: 9}, []string{"FalsePositiveRate", "BitsPerItem"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9}, []string{"FalsePositiveRate", "BitsPerItem", "FingerprintBits"}},
	{nest.Spec{Kind: nest.Cuckoo}, []string{"Capacity and Slots"}},
	{nest.Spec{Capacity: -1, FalsePositiveRate: 2, MaxBytes: -1},
		[]string{"Capacity is -1", "FalsePositiveRate is 2", "MaxBytes is -1"}},
	{nest.Spec{Capacity: 9, FalsePositiveRate: math.NaN()}, []string{"FalsePositiveRate is NaN"}},
	{nest.Spec{Capacity: 9, BitsPerItem: math.Inf(1)}, []string{"BitsPerItem is +Inf"}},
	{nest.Spec{Capacity: 9, BitsPerItem: 8, FalsePositiveRate: .1}, []string{"FalsePositiveRate 0.1", "BitsPerItem 8"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FingerprintBits: 8, FalsePositiveRate: .1},
		[]string{"FalsePositiveRate 0.1", "FingerprintBits 8"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FingerprintBits: 8, BitsPerItem: 9},
		[]string{"BitsPerItem 9", "FingerprintBits 8"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FingerprintBits: 33}, []string{"FingerprintBits is 33"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, Slots: 8, FingerprintBits: 8}, []string{"Capacity 9", "Slots 8"}},
	{nest.Spec{Kind: nest.Cuckoo, Slots: 9, FingerprintBits: 8}, []string{"Slots is 9", "multiple of 4"}},
	{nest.Spec{Kind: nest.Cuckoo, Slots: 12, FingerprintBits: 8, Placement: cuckoo.XOR},
		[]string{"Slots 12", "power of two", "placement xor"}},
	{nest.Spec{Kind: nest.Cuckoo, Slots: 8}, []string{"Slots 8", "FingerprintBits"}},
	{nest.Spec{Kind: nest.Bloom, Slots: 8}, []string{"Slots 8", "Hashes"}},
	{nest.Spec{Kind: nest.Bloom, Slots: 8, Hashes: 300}, []string{"Hashes is 300"}},
	{nest.Spec{Kind: nest.Bloom, Slots: 8, Hashes: 2, FalsePositiveRate: .1},
		[]string{"Slots 8", "FalsePositiveRate 0.1"}},
	{nest.Spec{Kind: nest.Bloom, Capacity: 8, Hashes: 2, FalsePositiveRate: .1}, []string{"Capacity 8", "Hashes 2"}},
	{nest.Spec{Slots: 8}, []string{"Slots 8", "best", "Capacity"}},
	{nest.Spec{Kind: nest.Bloom, Capacity: 9, FalsePositiveRate: .1, MustDelete: true},
		[]string{"Kind bloom", "MustDelete", "cuckoo or counting or dleft"}},
	{nest.Spec{Kind: nest.Bloom, Capacity: 9, FalsePositiveRate: .1, BucketSize: 4},
		[]string{"BucketSize 4", "Kind bloom", "Kind cuckoo"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 9, FalsePositiveRate: .1, Layout: cuckoo.SemiSorted},
		[]string{"Layout semisorted", "Kind dleft", "Kind cuckoo"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, BucketSize: 8, Layout: cuckoo.SemiSorted},
		[]string{"BucketSize is 8, want 4 for layout semisorted"}},
	{nest.Spec{Capacity: 9, FalsePositiveRate: .1, Layout: 77}, []string{"Layout is 77"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FingerprintBits: 4, Layout: cuckoo.SemiSorted},
		[]string{"Layout semisorted", "at least 5 bits"}},
	{nest.Spec{Capacity: 9, FingerprintBits: 12}, []string{"FingerprintBits 12", "Kind best"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, CounterBits: 4},
		[]string{"CounterBits 4", "Kind counting"}},
	{nest.Spec{Kind: nest.Counting, Capacity: 9, FalsePositiveRate: .1, CounterBits: 3}, []string{"CounterBits is 3"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 9, FalsePositiveRate: .1, CounterBits: 17},
		[]string{"CounterBits is 17", "1 to 16"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 9, FingerprintBits: 3}, []string{"FingerprintBits is 3", "at least 4"}},
	{nest.Spec{Kind: nest.DLeft, Slots: 32}, []string{"Slots 32", "FingerprintBits"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 9, FalsePositiveRate: .1, BucketSize: 4},
		[]string{"BucketSize 4", "Kind dleft"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 9, FalsePositiveRate: .1, FingerprintBits: 8},
		[]string{"FalsePositiveRate 0.1", "FingerprintBits 8"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 1000, FalsePositiveRate: 1e-12}, []string{"1e-12", "32"}},
	{nest.Spec{Kind: nest.DLeft, Capacity: 1000, BitsPerItem: 4}, []string{"BitsPerItem is 4", "at least"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, BucketSize: 3}, []string{"BucketSize is 3"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, Placement: 77}, []string{"Placement is 77"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, Kick: "hard"},
		[]string{`"hard"`, "breadth-first, random-walk, round-robin"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 9, FalsePositiveRate: .1, MaxKicks: math.MaxInt}, []string{"MaxKicks is"}},
	{nest.Spec{Capacity: 9, FalsePositiveRate: .1, Hash: "md5"}, []string{`"md5"`, "fnv1a", "xxh64"}},
	{nest.Spec{Capacity: 9, FalsePositiveRate: .1, Hash: "md5:3"}, []string{`"md5:3"`, "fnv1a", "xxh64"}},
	{nest.Spec{Capacity: 9, FalsePositiveRate: .1, Hash: "siphash:key-0123456789abcdef"},
		[]string{"no Hasher that was given", "SipHash(key)"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 1000, FalsePositiveRate: 1e-12}, []string{"1e-12", "lowest"}},
	{nest.Spec{Kind: nest.Cuckoo, Capacity: 1000, BitsPerItem: 4}, []string{"BitsPerItem is 4", "at least"}},
	{nest.Spec{Kind: nest.BlockedBloom, Capacity: 10, BitsPerItem: 4}, []string{"BitsPerItem is 4", "no slot"}},
	{nest.Spec{Kind: nest.Bloom, Capacity: 1000, FalsePositiveRate: 1e-300}, []string{"1e-300", "collide"}},
}

func TestNew_BadSpecs(t *testing.T) {
	for _, c := range badSpecs {
		f, err := nest.New(c.spec)
		if f != nil || !errors.Is(err, nest.ErrConfig) {
			t.Errorf("%v: got %v, %v, want ErrConfig", c.spec, f, err)
		}
		mentions(t, err, c.words...)
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "nest: ") {
				t.Errorf("%v: line %q has another prefix", c.spec, line)
			}
		}
	}
}

func TestNew_TooLarge(t *testing.T) {
	for _, kind := range nest.Kinds() {
		for _, s := range []nest.Spec{
			{Capacity: 1e6, FalsePositiveRate: .001, MaxBytes: 1e5},
			{Capacity: 1e6, BitsPerItem: 15, MaxBytes: 1e5},
			{Capacity: math.MaxInt, FalsePositiveRate: .001},
		} {
			if s.Kind = kind; kind == nest.Scalable {
				s.BitsPerItem = 0
			}
			if f, err := nest.New(s); f != nil || !errors.Is(err, nest.ErrTooLarge) {
				t.Errorf("%v: got %v, %v, want ErrTooLarge", s, f, err)
			}
		}
	}
}

// anySpec draws a Spec, mostly one that makes no sense.
func anySpec(t *rapid.T) nest.Spec {
	number := rapid.IntRange(-5, 1<<30)
	rate := rapid.Float64()
	return nest.Spec{
		Kind: nest.Kind(rapid.OneOf(rapid.SampledFrom([]string{"", "best", "cuckoo"}), rapid.String()).Draw(t,
			"kind")),
		Capacity: number.Draw(t, "capacity"), Slots: number.Draw(t, "slots"),
		FalsePositiveRate: rate.Draw(t, "fpr"), BitsPerItem: rate.Draw(t, "bits"),
		MustDelete: rapid.Bool().Draw(t, "delete"),
		Layout: rapid.SampledFrom([]cuckoo.Layout{cuckoo.Packed, cuckoo.SemiSorted, cuckoo.PairedSlots,
			cuckoo.Words}).Draw(t, "layout"), FingerprintBits: number.Draw(t, "f"), BucketSize: number.Draw(t, "b"),
		Placement: cuckoo.Placement(rapid.IntRange(0, 2).Draw(t, "placement")), Kick: rapid.String().Draw(t, "kick"),
		MaxDoublings: number.Draw(t, "maxdoublings"),
		MaxKicks:     number.Draw(t, "maxkicks"), Seed: rapid.Uint64().Draw(t, "seed"),
		Hashes:      number.Draw(t, "hashes"),
		CounterBits: number.Draw(t, "counterbits"), Hash: rapid.String().Draw(t, "hash"),
		MaxBytes: number.Draw(t, "maxbytes"),
	}
}

func TestSpec_RoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		var viaText, viaJSON, viaFlag nest.Spec
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := viaText.UnmarshalText(text); err != nil || viaText != s {
			t.Errorf("text %q became %v, %v", text, viaText, err)
		}
		data, err := json.Marshal(map[string]nest.Spec{"filter": s})
		if err != nil {
			t.Fatal(err)
		}
		into := map[string]*nest.Spec{"filter": &viaJSON}
		if err := json.Unmarshal(data, &into); err != nil || *into["filter"] != s {
			t.Errorf("JSON %s became %v, %v", data, viaJSON, err)
		}
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		flags.Var(&viaFlag, "filter", "")
		if err := flags.Parse([]string{"-filter", s.String()}); err != nil || viaFlag != s {
			t.Errorf("flag %q became %v, %v", s.String(), viaFlag, err)
		}
	})
}

func TestSpec_ReadKeepsDefaults(t *testing.T) {
	s := nest.Spec{Capacity: 100, FalsePositiveRate: .01}
	if err := s.Set("kind=bloom/capacity=200"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"hash":"metro64:7", "mustdelete":false}`), &s); err != nil {
		t.Fatal(err)
	}
	if want := (nest.Spec{Kind: nest.Bloom, Capacity: 200, FalsePositiveRate: .01, Hash: "metro64:7"}); s != want {
		t.Errorf("got %v, want %v", s, want)
	}
	if err := json.Unmarshal([]byte("null"), &s); err != nil || s.Capacity != 200 {
		t.Errorf("null became %v, %v", s, err)
	}
}

func TestSpec_ReadRefuses(t *testing.T) {
	const keys = "kind, capacity, slots, fpr"
	for input, words := range map[string][]string{
		`{"knid":"bloom"}`:                {`"knid"`, keys},
		`{"Kind":"bloom"}`:                {`"Kind"`, keys},
		`{"capacity":1,"capacity":2}`:     {`"capacity"`, "twice"},
		`{"capacity":"many"}`:             {"capacity", "string"},
		`{"capacity":1.5}`:                {"capacity", "1.5"},
		`{"layout":"sorted"}`:             {"layout", "packed, semisorted, paired"},
		`{"semisort":true}`:               {"semisort", "layout"},
		`{"placement":"left"}`:            {"placement", "additive, xor"},
		`["kind"]`:                        {"object", keys},
		`"kind=bloom"`:                    {"object", keys},
		"knid=bloom":                      {"knid", keys},
		"kind":                            {"key=value"},
		"capacity=many":                   {"capacity=many"},
		"capacity=1/capacity=2":           {"twice"},
		"mustdelete=maybe":                {"mustdelete=maybe"},
		"kind=cuckoo/placement=left":      {"additive, xor"},
		"capacity=99999999999999999999/f": {"capacity"},
	} {
		was := nest.Spec{Capacity: 7}
		s := was
		var err error
		if strings.ContainsAny(input[:1], `{["`) {
			err = json.Unmarshal([]byte(input), &s)
		} else {
			err = s.Set(input)
		}
		if !errors.Is(err, nest.ErrConfig) || s != was {
			t.Errorf("%s: got %v and %v", input, s, err)
		}
		mentions(t, err, append(words, "nest: ")...)
	}
	var s nest.Spec
	if err := s.UnmarshalJSON([]byte(`{"kind"`)); !errors.Is(err, nest.ErrConfig) {
		t.Errorf("half an object: %v", err)
	}
	if _, err := json.Marshal(nest.Spec{FalsePositiveRate: math.NaN()}); !errors.Is(err, nest.ErrConfig) {
		t.Errorf("a rate of NaN was written: %v", err)
	}
}

// FuzzSpec_Read holds that whatever is read is written and read again the same, and that planning
// it, which allocates no table, does not panic.
func FuzzSpec_Read(f *testing.F) {
	f.Add("kind=cuckoo/capacity=1000/fpr=0.01")
	f.Add(`{"kind":"counting","capacity":9,"bitsperitem":40,"counterbits":2,"hash":"metro64:1"}`)
	f.Add("slots=64/hashes=3/kind=blocked-bloom/maxbytes=8")
	f.Add("kind=cuckoo/slots=64/f=1/b=8/placement=xor/kick=random-walk/maxkicks=3/seed=4")
	f.Add("kind=dleft/slots=64/f=4/counterbits=16")
	f.Add("kind=scalable/f=16/maxdoublings=3/fpr=0.01")
	f.Add("fpr=0.01")
	f.Add("kind=dleft/capacity=100/bitsperitem=20/maxbytes=300")
	f.Add("capacity=9223372036854775807/fpr=0.5/mustdelete=1")
	f.Fuzz(func(t *testing.T, input string) {
		var s, again nest.Spec
		if s.Set(input) != nil && s.UnmarshalJSON([]byte(input)) != nil {
			return
		}
		if err := again.Set(s.String()); err != nil || again.String() != s.String() {
			t.Fatalf("%q became %q: %v", s, again, err)
		}
		plans, err := nest.Plans(s)
		if (len(plans) == 0) != (err != nil) {
			t.Fatalf("%q: plans %v, error %v", s, plans, err)
		}
		for _, p := range plans {
			if err := p.Spec.Validate(); err != nil {
				t.Fatalf("%q: plan %v: %v", s, p.Spec, err)
			}
		}
	})
}

func TestSpec_Usage(t *testing.T) {
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&nest.Spec{}, "filter", "the filter")
	flags.PrintDefaults() // it calls String of a zero Spec
	if err := flags.Parse([]string{"-filter", "kind=bloom/size=3"}); err == nil {
		t.Error("an unknown key was accepted")
	}
}

// TestSpec_DefaultHash: split-block filters have that of Parquet, named in a Spec or chosen by one.
func TestSpec_DefaultHash(t *testing.T) {
	for _, k := range nest.Kinds() {
		f, err := nest.Build(nest.Spec{Kind: k, Capacity: 1000, FalsePositiveRate: 0.01}, nil)
		want := "xxh3:0"
		if k == nest.SplitBlock {
			want = "xxh64:0"
		}
		if err != nil || f.Spec().Hash != want {
			t.Errorf("%s: %v, %v", k, f, err)
		}
	}
}
