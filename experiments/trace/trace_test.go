package trace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/integerhash"
)

var update = flag.Bool("update", false, "write the golden files anew")

// checkGolden holds got against a file of testdata.
func checkGolden(t *testing.T, name string, got []byte) {
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
		t.Errorf("%s differs (go test ./experiments/trace -update writes it anew):\n%s", file, got)
	}
}

// seeds is the number of seeds that tests of many try.
func seeds() uint64 {
	if testing.Short() {
		return 1
	}
	return 4
}

// mustRun runs options that have nothing wrong.
func mustRun(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return r
}

// text returns what WriteText writes.
func text(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wellFormed holds a picture to be XML.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
	}
}

func TestGolden_EveryPolicy(t *testing.T) {
	for _, policy := range Policies() {
		r := mustRun(t, Options{Config: cuckoo.Config{Buckets: 8, BucketSize: 2, FingerprintBits: 12, Kick: policy, Seed: 1}})
		got := text(t, r)
		for line := range strings.Lines(got) { // the line with the configuration had 109 columns
			if len(line) > 81 {
				t.Errorf("%d columns: %s", len(line)-1, line)
			}
		}
		checkGolden(t, policy.Recipe()+".txt", []byte(got))
		checkGolden(t, policy.Recipe()+".svg", r.SVG(r.Pictured()))
	}
}

// model replays paths on a table of its own, one fingerprint after the other, and takes nothing from
// the package but the rule that pairs buckets.
type model struct {
	table Table
	m     *Machine
}

// apply makes the moves of a step and holds each of them to be one that the fingerprint may make.
func (w *model) apply(s *Step) error {
	moving := s.Fingerprint
	for k, p := range s.Path {
		switch {
		case k == 0 && p.Bucket != s.Primary && p.Bucket != s.Alternate:
			return fmt.Errorf("the new fingerprint is in %v, its buckets are %d and %d", p, s.Primary, s.Alternate)
		case k > 0 && p.Bucket != w.m.scheme.Alternate(s.Path[k-1].Bucket, moving):
			return fmt.Errorf("kick %d: %x went to %v", k, moving, p)
		case k > 0 && s.Moved()[k-1] != moving:
			return fmt.Errorf("kick %d: Moved says %x, the table %x", k, s.Moved()[k-1], moving)
		}
		moving, w.table[p.Bucket][p.Slot] = w.table[p.Bucket][p.Slot], moving
	}
	if moving != 0 {
		return fmt.Errorf("%x is left over", moving)
	}
	return nil
}

// TestInsert_PathsLeadToTheTable overfills tables of every shape and replays each step on a model. What
// was kicked in all must be what the filter itself counted.
func TestInsert_PathsLeadToTheTable(t *testing.T) {
	for _, policy := range Policies() {
		for _, o := range []cuckoo.Config{
			{Buckets: 1, BucketSize: 1, FingerprintBits: 1}, {Buckets: 1, BucketSize: 4, FingerprintBits: 8},
			{Buckets: 3, BucketSize: 8, FingerprintBits: 2}, {Buckets: 8, BucketSize: 2, FingerprintBits: 8, Placement: cuckoo.XOR},
			{Buckets: 32, BucketSize: 1, FingerprintBits: 32}, {Buckets: 16, BucketSize: 4, FingerprintBits: 5, Placement: cuckoo.PlainXOR},
			{Buckets: 31, BucketSize: 8, FingerprintBits: 13}, {Buckets: 6, BucketSize: 2, FingerprintBits: 3, MaxKicks: 7},
		} {
			o.Kick = policy
			for o.Seed = range seeds() {
				t.Run(fmt.Sprintf("%s/m=%d/b=%d/f=%d/seed=%d", policy.Recipe(), o.Buckets, o.BucketSize, o.FingerprintBits, o.Seed),
					func(t *testing.T) { overfill(t, o) })
			}
		}
	}
}

// overfill inserts one and a half times the keys that fit.
func overfill(t *testing.T, o cuckoo.Config) {
	m, err := NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	replica := &model{m.Table.clone(), m}
	kicks, refused := 0, 0
	for _, key := range randomKeys(o.Seed, 0, o.Buckets*o.BucketSize*3/2+1) {
		s := m.Insert(key)
		if s.Refused != nil {
			refused++
			if !reflect.DeepEqual(s.Before, s.After) || len(s.Path) > 0 || !errors.Is(s.Refused, cuckoo.ErrFull) {
				t.Fatalf("%q was refused and changed something: %+v", s.Key, s)
			}
		} else if err := replica.apply(&s); err != nil {
			t.Fatalf("%q: %v", s.Key, err)
		}
		if !reflect.DeepEqual(replica.table, s.After) || s.After.Used() != m.filter.Len() {
			t.Fatalf("%q: the path %v leads to\n%v, the table is\n%v", s.Key, s.Path, replica.table, s.After)
		}
		for p, u := range s.Moment(s.Moments() - 1).uses {
			if u == isNew && s.After.at(p) != s.Fingerprint {
				t.Fatalf("%q: not found in %v", s.Key, p)
			}
		}
		kicks += s.Kicks()
	}
	if got := m.filter.Stats(); got.Kicks != uint64(kicks) || got.Refusals != uint64(refused) || refused == 0 {
		t.Errorf("%d kicks and %d refusals were shown, the filter counted %+v", kicks, refused, got)
	}
}

func TestRun_RandomKeysEndInAPath(t *testing.T) {
	for seed := range 5 * seeds() {
		for _, fill := range []int{0, 5, 9} {
			r := mustRun(t, Options{Config: cuckoo.Config{Buckets: 8, BucketSize: 2, FingerprintBits: 12, Seed: seed}, Fill: fill})
			last := &r.Steps[len(r.Steps)-1]
			if last.Kicks() < 2 || len(r.Steps) > 3 || r.Filled < fill || r.Pictured() != len(r.Steps)-1 {
				t.Errorf("seed %d, fill %d: %d filled, %d steps, the last with %d kicks", seed, fill, r.Filled, len(r.Steps),
					last.Kicks())
			}
		}
	}
	// The table is full before the first random key that is traced.
	r := mustRun(t, Options{Config: cuckoo.Config{Buckets: 1, BucketSize: 1, FingerprintBits: 4}, Fill: 3})
	if len(r.Steps) != 1 || r.Steps[0].Refused == nil || r.FillRefused != 2 {
		t.Errorf("full table: %+v", r)
	}
}

func TestRun_RefusalsSayThatNothingChanged(t *testing.T) {
	r := mustRun(t, Options{Config: cuckoo.Config{Buckets: 1, BucketSize: 2, FingerprintBits: 8, Kick: cuckoo.RandomWalk}, Keys: []string{"a", "a", "a",
		"b"}})
	got := text(t, r)
	for _, want := range []string{"every slot of the key's buckets holds its fingerprint already; integers as digests " +
		"need hashing.Mix64\n                nothing changed",
		"500 kicks made and taken back\n                nothing changed", "they coincide"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if svg := string(r.SVG(r.Pictured())); !strings.Contains(svg, "refused, nothing changed") || strings.Contains(svg,
		"marker-end") {
		t.Errorf("the picture of a refusal:\n%s", svg)
	}
}

func TestRun_BadOptions(t *testing.T) {
	good := Options{Config: cuckoo.Config{Buckets: 8, BucketSize: 2, FingerprintBits: 8}}
	for name, change := range map[string]func(*Options){
		"0 buckets, want 1 to 32":  func(o *Options) { o.Buckets = 0 },
		"33 buckets, want 1 to 32": func(o *Options) { o.Buckets = 33 },
		"BucketSize is 0":          func(o *Options) { o.BucketSize = 0 },
		"BucketSize is 3":          func(o *Options) { o.BucketSize = 3; o.Placement = cuckoo.XOR; o.Buckets = 7 },
		"power of two":             func(o *Options) { o.Buckets = 7; o.Placement = cuckoo.XOR },
		"width is 33":              func(o *Options) { o.FingerprintBits = 33 },
		"width is 0":               func(o *Options) { o.FingerprintBits = 0 },
		"MaxKicks is -1":           func(o *Options) { o.MaxKicks = -1 },
		"-1 keys to fill in":       func(o *Options) { o.Fill = -1 },
		"1001 keys to fill in":     func(o *Options) { o.Fill = MaxKeys + 1 },
		"1001 keys to trace":       func(o *Options) { o.Keys = make([]string, MaxKeys+1) },
		"takes integers only":      func(o *Options) { o.Hash = integerhash.SimpleTabulation(1) },
	} {
		o := good
		change(&o)
		if r, err := Run(o); !errors.Is(err, cuckoo.ErrConfig) || !strings.Contains(err.Error(), name) ||
			strings.Contains(err.Error(), "\n") || r != nil {
			t.Errorf("want one line with %q: %v", name, err)
		}
	}
}

func TestShown_PrintableAsItIs(t *testing.T) {
	for key, want := range map[string]string{
		"egg": `"egg"`, "布谷鸟": `"布谷鸟"`, "naïve": `"naïve"`, "a\u202eb": `"a\u202eb"`, "a\u2066b\n": `"a\u2066b\n"`,
		"\x00\xff":              `"\x00\xff"`,
		strings.Repeat("鍵", 10): `"` + strings.Repeat("鍵", 10) + `"`,
		strings.Repeat("鍵", 11): `"` + strings.Repeat("鍵", 8) + `..."`,
		strings.Repeat("k", 21): `"` + strings.Repeat("k", 17) + `..."`,
		strings.Repeat("k", 20): `"` + strings.Repeat("k", 20) + `"`,
	} {
		if got := Shown(key); got != want {
			t.Errorf("%q is shown as %s, want %s", key, got, want)
		}
	}
	got := string(mustRun(t, Options{Config: cuckoo.Config{Buckets: 8, BucketSize: 2, FingerprintBits: 8}, Keys: []string{"布谷鸟"}}).SVG(0))
	if !strings.Contains(got, "Insert &#34;布谷鸟&#34;") {
		t.Errorf("the picture's title is not the key:\n%.400s", got)
	}
}

// hostile are keys that break what does not quote.
var hostile = []string{
	"", `"`, `'"><script>alert(1)</script>`, "]]>&amp;&#0;", "\x00\xff\xfe\r\n\x1b[31m", "naïve 鍵 \u202e",
	strings.Repeat("long ", 500), strings.Repeat("鍵", 300), strings.Repeat("\xff", 40), strings.Repeat("W", 20), `\`,
}

func TestOutput_HostileKeys(t *testing.T) {
	r := mustRun(t, Options{Config: cuckoo.Config{Buckets: 8, BucketSize: 4, FingerprintBits: 16}, Keys: hostile})
	got := text(t, r)
	for _, key := range hostile {
		if want := fmt.Sprintf("insert %q\n", key); !strings.Contains(got, want) {
			t.Errorf("%s is not in the text", want)
		}
	}
	if strings.ContainsAny(got, "\x00\x1b\r") || strings.Contains(got, "\xff") {
		t.Error("the text holds raw bytes of a key")
	}
	for i, key := range hostile {
		svg := r.SVG(i)
		for _, c := range string(svg) {
			if c != '\n' && (!strconv.IsPrint(c) || c == utf8.RuneError) {
				t.Fatalf("key %q: the picture holds %U", key, c)
			}
		}
		if strings.Contains(string(svg), "<script") || utf8.RuneCountInString(Shown(key)) > maxKey+2 {
			t.Errorf("key %q: shown as %s", key, Shown(key))
		}
		wellFormed(t, svg)
	}
}
