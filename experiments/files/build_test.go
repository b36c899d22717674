package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// everyKind are the kinds that need a capacity.
var everyKind = []nest.Kind{
	nest.Best, nest.Cuckoo, nest.Bloom, nest.BlockedBloom, nest.SplitBlock, nest.Counting, nest.DLeft, nest.Fuse,
}

// numbered returns the lines "line from" to "line to-1".
func numbered(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprint("line ", i))
	}
	return all
}

// join returns lines as a text.
func join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// rated are the options of a filter of that kind and rate, with room for so many lines where it is not 0.
func rated(kind nest.Kind, rate float64, capacity int) BuildOptions {
	return BuildOptions{Spec: nest.Spec{Kind: kind, FalsePositiveRate: rate, Capacity: capacity}}
}

// build returns the filter of a text.
func build(t testing.TB, o BuildOptions, text string) (nest.Filter, BuildStats) {
	t.Helper()
	b := must.Get(NewBuilder(o))(t)
	must.Do(t, b.Read(strings.NewReader(text), "text"))
	f := must.Get(b.Finish(context.Background()))(t)
	return f, b.Stats()
}

// stored returns the file of a filter.
func stored(t testing.TB, f nest.Filter) []byte {
	t.Helper()
	b := must.Get(f.MarshalBinary())(t)
	return b
}

func TestBuilder_EqualSetsEqualFiles(t *testing.T) {
	const seed = 3
	all := numbered(0, 3000)
	other := append(slices.Clone(all), all[:1000]...)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	for _, kind := range everyKind {
		o := rated(kind, 0.001, 0)
		f, st := build(t, o, join(all))
		g, again := build(t, o, join(other))
		if !bytes.Equal(stored(t, f), stored(t, g)) {
			t.Errorf("%s, seed %d: another order makes another file", kind, seed)
		}
		if want := (BuildStats{Lines: 3000, Stored: 3000}); st != want ||
			again != (BuildStats{Lines: 4000, Stored: 3000}) || f.Len() != 3000 {
			t.Errorf("%s: %+v, %+v, Len %d", kind, st, again, f.Len())
		}
	}
}

// TestBuilder_EveryLineIsFound builds in each way, from lines of any bytes.
func TestBuilder_EveryLineIsFound(t *testing.T) {
	all := append(numbered(0, 2000), "", "\r", "cr\r", "\x00\xff", "\ufeffbom", " ", strings.Repeat("long", 1000))
	for _, kind := range everyKind {
		for n := range 4 {
			o := rated(kind, 0.01, n%2*len(all))
			o.Copies = n > 1
			f, st := build(t, o, join(all))
			for _, line := range all {
				if !f.ContainsString(line) {
					t.Errorf("%s, %+v: %q is not found", kind, o, line)
				}
			}
			if st.Lines != len(all) || st.Returns != 2 || st.Stored != f.Len() || o.Spec.Capacity == 0 && st.Stored != len(all) {
				t.Errorf("%s, %+v: %+v, Len %d", kind, o, st, f.Len())
			}
		}
	}
}

// TestBuilder_LinesCanBeDeleted deletes half of the lines of filters that are made for it: no other one is lost.
func TestBuilder_LinesCanBeDeleted(t *testing.T) {
	const n = 300_000
	all := numbered(0, n)
	for _, text := range []string{"kind=cuckoo/capacity=300000/b=4", "capacity=400000", "kind=scalable", ""} {
		var o BuildOptions
		must.Do(t, o.Spec.Set(strings.Trim(text+"/fpr=0.001/mustdelete=true", "/")))
		f, st := build(t, o, join(append(all, all[:1000]...)))
		for i := 0; i < n; i += 2 {
			f.(nest.Deleter).DeleteString(all[i])
		}
		for i := 1; i < n; i += 2 {
			if !f.ContainsString(all[i]) {
				t.Fatalf("%s: %q is lost", text, all[i])
			}
		}
		if f.Len() != n/2 || st != (BuildStats{Lines: n + 1000, Stored: n}) {
			t.Errorf("%s: %d lines are left, %+v", text, f.Len(), st)
		}
	}
	b := must.Get(NewBuilder(BuildOptions{Spec: nest.Spec{Capacity: 9, FalsePositiveRate: 0.1, MustDelete: true}}))(t)
	must.Do(t, b.Read(strings.NewReader(join(all[:10])), "text"))
	if _, err := b.Finish(t.Context()); !errors.Is(err, nest.ErrFull) || !strings.Contains(err.Error(), "10 lines are diff") {
		t.Errorf("ten lines in a filter for nine: %v", err)
	}
}

func TestBuilder_DropsRepeatedDigestsAsTheyCome(t *testing.T) {
	b := must.Get(NewBuilder(rated(nest.Bloom, 0.01, 0)))(t)
	text := join(numbered(0, 1000))
	for range firstKept/1000 + 10 {
		must.Do(t, b.Read(strings.NewReader(text), "text"))
	}
	// The parts are not of one size, and each may have a chunk begun.
	if got := chunkSize * len(b.kept.chunks()); got > 5*firstKept/2 {
		t.Errorf("memory for %d digests of 1000 lines", got)
	}
	if f, err := b.Finish(t.Context()); err != nil || f.Len() != 1000 {
		t.Errorf("%v, %v", f, err)
	}
}

// TestBuilder_Grows fills filters of the kind that has no capacity, or one to begin with.
func TestBuilder_Grows(t *testing.T) {
	all := numbered(0, 5000)
	for _, capacity := range []int{0, 10} {
		f, st := build(t, rated(nest.Scalable, 0.001, capacity), join(append(all, all...)))
		for _, line := range all {
			if !f.ContainsString(line) {
				t.Errorf("capacity %d: %s is lost", capacity, line)
			}
		}
		if st.Lines != 10_000 || st.Stored != f.Len() || f.Len() > 5000 || f.Len() < 4950 {
			t.Errorf("capacity %d: %+v, Len %d", capacity, st, f.Len())
		}
	}
}

// TestBuilder_StopsWhereThereIsNoRoom names the line that is one too many.
func TestBuilder_StopsWhereThereIsNoRoom(t *testing.T) {
	ten := nest.Spec{Kind: nest.Bloom, FalsePositiveRate: 0.000001, Capacity: 10}
	for _, c := range []struct {
		options BuildOptions
		text    string
		want    string
	}{
		{BuildOptions{Spec: ten}, join(append(numbered(0, 10), numbered(0, 11)...)), "build: text:21: 10 lines are in the filter"},
		{BuildOptions{Spec: ten, Copies: true}, join(append(numbered(0, 5), numbered(0, 7)...)), "build: text:11: 10 lines are in"},
		{BuildOptions{Spec: nest.Spec{Kind: nest.Cuckoo, Slots: 4, FingerprintBits: 32}}, join(numbered(0, 9)), "build: text:5: 4 lines"},
		{BuildOptions{Spec: nest.Spec{Kind: nest.Cuckoo, Slots: 400, FingerprintBits: 9}, Copies: true}, strings.Repeat("x\n", 9), "build: text:9: 8 lines"},
	} {
		b := must.Get(NewBuilder(c.options))(t)
		err := b.Read(strings.NewReader(c.text), "text")
		if !errors.Is(err, nest.ErrFull) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.options.Spec, err, c.want)
		}
	}
	b := must.Get(NewBuilder(BuildOptions{Spec: nest.Spec{Kind: nest.Cuckoo, FalsePositiveRate: 0.001}, Copies: true}))(t)
	must.Do(t, b.Read(strings.NewReader(strings.Repeat("x\n", 100)), "text"))
	if _, err := b.Finish(t.Context()); !errors.Is(err, nest.ErrFull) ||
		!strings.HasPrefix(err.Error(), "build: 8 lines are in the filter") {
		t.Errorf("100 copies: %v", err)
	}
}

func TestBuilder_BadSpecs(t *testing.T) {
	for want, s := range map[string]nest.Spec{
		"Kind is":                   {Kind: "none"},
		"cannot be asked for lines": {Hash: "digests"},
		"for integers":              {Hash: integerhash.SimpleTabulation(0).Recipe()},
		"nobody could ask":          {Hash: "maphash"},
		"md5":                       {Hash: "md5"},
		"Capacity":                  {Capacity: -1},
	} {
		s.FalsePositiveRate = 0.01
		var given hashing.Hasher
		if want == "for integers" {
			given = integerhash.SimpleTabulation(0)
		}
		if _, err := NewBuilder(BuildOptions{Spec: s, Hash: given}); !errors.Is(err, nest.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", s, err, want)
		}
	}
	if _, err := NewBuilder(rated(nest.Best, 1e-30, 0)); !errors.Is(err, nest.ErrConfig) {
		t.Errorf("a rate of 1e-30: %v", err)
	}
}

func TestBuilder_NothingAndNoMore(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx      context.Context
		capacity int
		text     string
		want     error
	}{
		{t.Context(), 0, "", ErrNoLines}, {t.Context(), 1, "", nil},
		{canceled, 0, "a\n", context.Canceled}, {canceled, 10, "a\n", context.Canceled},
	} {
		b := must.Get(NewBuilder(rated(nest.Best, 0.01, c.capacity)))(t)
		must.Do(t, b.Read(strings.NewReader(c.text), "text"))
		if _, err := b.Finish(c.ctx); !errors.Is(err, c.want) {
			t.Errorf("capacity %d, %q: %v, want %v", c.capacity, c.text, err, c.want)
		}
	}
}

func TestReadSecret(t *testing.T) {
	key := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255}
	for _, text := range []string{string(key[:]), "000102030405060708090a0b0c0d0eff", " 000102030405060708090A0B0C0D0EFF\r\n"} {
		if got, err := ReadSecret(strings.NewReader(text)); err != nil || got != key {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
	const secret = "000102030405060708090a0b0c0d0ef"
	for _, text := range []string{"", "short", secret, secret + "x", secret + "ff", strings.Repeat(" ", 1000) + secret + "f", "seventeen bytes.."} {
		got, err := ReadSecret(strings.NewReader(text))
		if err == nil || got != [16]byte{} || strings.Contains(err.Error(), "0001") {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
}
