package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// split returns a split-block filter of a thousand lines under a hash.
func split(t testing.TB, hash string) nest.Filter {
	t.Helper()
	f, _ := build(t, BuildOptions{Spec: nest.Spec{Kind: nest.SplitBlock, FalsePositiveRate: 0.01, Hash: hash}}, join(numbered(0, 1000)))
	return f
}

// converted converts and returns the bytes.
func converted(t *testing.T, b []byte, from, to Format) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Get(must.Get(Convert(b, from, to))(t).WriteTo(&out))(t)
	return out.Bytes()
}

func everyFormat() (all []Format) {
	for _, name := range Formats() {
		all = append(all, Format(name))
	}
	return all
}

// foreigners are filters of a few keys in the formats that nothing else is converted to.
func foreigners(t *testing.T) map[Format][]byte {
	t.Helper()
	files := map[Format][]byte{}
	for format, f := range map[Format]foreign.Format{Seiflotfy: foreign.Seiflotfy, Panmari: foreign.Panmari} {
		g := must.Get(foreign.New(foreign.Config{Format: f, Capacity: 100}))(t)
		must.Do(t, g.InsertString("a"))
		files[format] = g.Encode()
	}
	g := must.Get(bitsandblooms.New(bitsandblooms.Config{Slots: 1000, Hashes: 3}))(t)
	g.InsertString("a")
	files[BitsAndBlooms] = g.Encode()
	return files
}

// TestConvert_RoundTrip goes through all formats of a split-block filter; the answers stay.
func TestConvert_RoundTrip(t *testing.T) {
	f := split(t, "")
	start := converted(t, stored(t, f), Nest, ParquetBitset)
	for _, path := range [][]Format{
		{ParquetBitset, Parquet, Nest, ParquetBitset}, {ParquetBitset, Nest, Parquet, ParquetBitset},
		{ParquetBitset, ParquetBitset}, {ParquetBitset, Nest, Nest, ParquetBitset}, {ParquetBitset, Parquet, Parquet, ParquetBitset},
	} {
		b := start
		for i := range path[1:] {
			b = converted(t, b, path[i], path[i+1])
		}
		if !bytes.Equal(b, start) {
			t.Errorf("%v: other bytes", path)
		}
	}
	back := must.Get(nest.Open(converted(t, start, ParquetBitset, Nest)))(t)
	for i := range 3000 {
		if line := fmt.Sprint("line ", i); back.ContainsString(line) != f.ContainsString(line) {
			t.Errorf("%s: another answer", line)
		}
	}
}

// TestConvert_OtherAnswers tries every conversion that there is not.
func TestConvert_OtherAnswers(t *testing.T) {
	files := foreigners(t)
	cuckooFile, _ := build(t, rated(nest.Cuckoo, 0.01, 0), "a\n")
	for _, to := range everyFormat() {
		for from, b := range files {
			_, err := Convert(b, from, to)
			if from == to && (err != nil || !bytes.Equal(converted(t, b, from, to), b)) {
				t.Errorf("%s to itself: %v", from, err)
			}
			if from != to && (!errors.Is(err, ErrOtherAnswers) || !strings.Contains(err.Error(), string(from)+" holds")) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
		for name, f := range map[string]nest.Filter{"kind cuckoo under xxh3:0": cuckooFile, "kind split-block under xxh64:7": split(t, "xxh64:7")} {
			if _, err := Convert(stored(t, f), Nest, to); to != Nest && (!errors.Is(err, ErrOtherAnswers) ||
				!strings.Contains(err.Error(), name)) {
				t.Errorf("%s to %s: %v", name, to, err)
			}
		}
		if w, err := Convert(stored(t, split(t, "")), Nest, to); (err == nil) != (to == Nest || to == Parquet ||
			to == ParquetBitset) || (w == nil) != (err != nil) {
			t.Errorf("a filter of Parquet's to %s: %v", to, err)
		}
	}
}

func TestConvert_BadBytes(t *testing.T) {
	for _, from := range everyFormat() {
		for _, b := range [][]byte{nil, []byte("abc")} {
			_, err := Convert(b, from, from)
			if err == nil || !strings.HasPrefix(err.Error(), "convert: as "+string(from)+": ") {
				t.Errorf("%q as %s: %v", b, from, err)
			}
		}
	}
	if f, err := ParseFormat("redis"); f != "" || err == nil ||
		!strings.Contains(err.Error(), "want one of nest, parquet,") {
		t.Errorf("%q, %v", f, err)
	}
}

func TestMerge(t *testing.T) {
	for _, kind := range everyKind[1:] {
		if kind == nest.Fuse {
			continue // whose filters cannot be merged
		}
		spec := nest.Spec{Kind: kind, FalsePositiveRate: 0.001, Capacity: 3000}
		files, n := map[string]nest.Filter{}, 0
		for i, name := range []string{"a", "b", "c"} {
			files[name], _ = build(t, BuildOptions{Spec: spec}, join(numbered(1000*i, 1000*(i+1))))
			n += files[name].Len()
		}
		files["other"], _ = build(t, rated(kind, 0.001, 0), join(numbered(0, 100)))
		open := func(name string) (nest.Filter, error) { return files[name].Clone(), nil }
		sum, err := Merge([]string{"a", "b", "c"}, open)
		if err != nil || sum.Len() != n {
			t.Fatalf("%s: %v, %v", kind, sum, err)
		}
		for _, line := range numbered(0, 3000) {
			if !sum.ContainsString(line) {
				t.Errorf("%s: %s is lost", kind, line)
			}
		}
		_, err = Merge([]string{"a", "other"}, open)
		if !errors.Is(err, nest.ErrMismatch) || !strings.HasPrefix(err.Error(), "merge: a and other: ") || !strings.Contains(err.Error(), " is ") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestMerge_Errors(t *testing.T) {
	open := func(text string) (nest.Filter, error) {
		var s nest.Spec
		if err := s.Set(text); err != nil {
			return nil, err
		}
		f, _ := build(t, BuildOptions{Spec: s}, join(numbered(0, 300)))
		return f, nil
	}
	const base = "kind=cuckoo/slots=400/f=12"
	for text, want := range map[string]string{
		"kind=cuckoo/slots=400/f=13":    "FingerprintBits is 12 and 13",
		base + "/b=8":                   "Buckets is 100 and 50",
		base + "/hash=fnv1a":            "Hash is xxh3:0 and fnv1a:0",
		base + "/layout=semisorted":     "Layout is packed and semisorted",
		"kind=bloom/slots=400/hashes=3": "filters do not match: *cuckoo.Filter",
		base:                            "merge: " + base + " has no room for the 299 keys of " + base + " beside its 299",
		"what":                          "what",
	} {
		if _, err := Merge([]string{base, text}, open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestInfo(t *testing.T) {
	f, _ := build(t, BuildOptions{Spec: nest.Spec{Kind: nest.Cuckoo, Slots: 16, FingerprintBits: 12}, Hash: hashing.SipHash([16]byte{1})}, "a\nb\n")
	b := stored(t, f)
	found := must.Get(nest.Inspect(b))(t)
	var text, asJSON strings.Builder
	info := NewInfo("f.nest", found)
	must.Do(t, errors.Join(info.WriteText(&text), json.NewEncoder(&asJSON).Encode(info), info.Damage))
	for _, want := range []string{"kind                 cuckoo\n", "keys                 2\n", "slots                16, load factor 0.125\n",
		"table                32 bytes, 128 bits per key\n", "needs its key", "checksum             right\n", "slots=16/f=12/b=4",
		`"keyed":true`, `"kind":"cuckoo"`, `"keys":2`, `"checksum":"right"`, `"file":"f.nest"`, `"bits_per_key":128`} {
		if !strings.Contains(text.String()+asJSON.String(), want) {
			t.Errorf("no %q in\n%s%s", want, &text, &asJSON)
		}
	}
	b[len(b)-1] ^= 1
	if info := NewInfo("f.nest", must.Get(nest.Inspect(b))(t)); !errors.Is(info.Damage, nest.ErrCorrupt) ||
		!strings.Contains(info.Checksum, "checksum") {
		t.Errorf("%+v", info)
	}
}
