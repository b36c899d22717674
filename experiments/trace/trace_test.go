package trace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
		check(t, os.WriteFile(file, got, 0o644))
	}
	want := must(os.ReadFile(file))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./experiments/trace -update writes it anew):\n%s", file, got)
	}
}

// must returns the value of a call that has nothing wrong.
func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		check(t, err)
		return v
	}
}

// check ends a test at an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text returns what WriteText writes.
func text(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	check(t, r.WriteText(&b))
	return b.String()
}

// wellFormed holds a picture to be XML.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Fatalf("%v\n%s", err, svg)
	}
}

func TestGolden_EveryPolicy(t *testing.T) {
	for _, policy := range Policies() {
		r := must(Run(Options{Config: of(shape(8, 2, 12), 0, policy, 1, 0)}))(t)
		got := text(t, r)
		if long := regexp.MustCompile(`.{81}`).FindString(got); long != "" { // the line of the configuration had 109 columns
			t.Errorf("more than 80 columns: %s", long)
		}
		checkGolden(t, policy.Recipe()+".txt", []byte(got))
		checkGolden(t, policy.Recipe()+".svg", r.SVG(r.Pictured()))
	}
}

func TestRun_RandomKeysEndInAPath(t *testing.T) {
	for seed := range uint64(10) {
		for _, fill := range []int{0, 5, 9} {
			r := must(Run(Options{Config: of(shape(8, 2, 12), 0, nil, seed, 0), Fill: fill}))(t)
			last := &r.Steps[len(r.Steps)-1]
			if last.Kicks() < 2 || len(r.Steps) > 3 || r.Filled < fill || r.Pictured() != len(r.Steps)-1 {
				t.Errorf("seed %d, fill %d: %d filled, %d steps, the last with %d kicks", seed, fill, r.Filled, len(r.Steps),
					last.Kicks())
			}
		}
	}
	// The table is full before the first random key that is traced.
	r := must(Run(Options{Config: shape(1, 1, 4), Fill: 3}))(t)
	if len(r.Steps) != 1 || r.Steps[0].Refused == nil || r.FillRefused != 2 {
		t.Errorf("full table: %+v", r)
	}
}

func TestRun_RefusalsSayThatNothingChanged(t *testing.T) {
	config := of(shape(1, 2, 8), 0, cuckoo.RandomWalk, 0, 0)
	r := must(Run(Options{Config: config, Keys: []string{"a", "a", "a", "b"}}))(t)
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
	hashed := shape(8, 2, 8)
	hashed.Hash = integerhash.SimpleTabulation(1)
	for name, o := range map[string]Options{
		"0 buckets, want 1 to 32": {Config: shape(0, 2, 8)}, "33 buckets, want 1 to 32": {Config: shape(33, 2, 8)},
		"BucketSize is 0": {Config: shape(8, 0, 8)}, "BucketSize is 3": {Config: of(shape(7, 3, 8), cuckoo.XOR, nil, 0, 0)},
		"power of two": {Config: of(shape(7, 2, 8), cuckoo.XOR, nil, 0, 0)}, "takes integers only": {Config: hashed},
		"width is 33": {Config: shape(8, 2, 33)}, "width is 0": {Config: shape(8, 2, 0)},
		"MaxKicks is -1":       {Config: of(shape(8, 2, 8), 0, nil, 0, -1)},
		"-1 keys to fill in":   {Config: shape(8, 2, 8), Fill: -1},
		"1001 keys to fill in": {Config: shape(8, 2, 8), Fill: MaxKeys + 1},
		"1001 keys to trace":   {Config: shape(8, 2, 8), Keys: make([]string, MaxKeys+1)},
	} {
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
	got := string(must(Run(Options{Config: shape(8, 2, 8), Keys: []string{"布谷鸟"}}))(t).SVG(0))
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
	r := must(Run(Options{Config: shape(8, 4, 16), Keys: hostile}))(t)
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
