package hashing

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestfilter/nest/internal/memory"
)

// record is a key with padding, a string and fields that memory does not compare as == does.
type record struct {
	id    uint8
	name  string
	score float64
	tags  [2]any
}

// TestComparable_EqualKeysEqualDigests makes equal keys of different memory: other strings, other zeros.
func TestComparable_EqualKeysEqualDigests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := record{rapid.Byte().Draw(t, "id"), rapid.String().Draw(t, "name"), rapid.Float64().Draw(t, "score"), [2]any{rapid.Int().Draw(t, "tag"), "x"}}
		l := record{k.id, string(append([]byte(nil), k.name...)), k.score, [2]any{k.tags[0].(int), string([]byte{'x'})}}
		if k != l || Comparable(k) != Comparable(l) {
			t.Fatalf("%+v and %+v have the digests %#x and %#x", k, l, Comparable(k), Comparable(l))
		}
	})
	if zero := 0.0; Comparable(zero) != Comparable(math.Copysign(zero, -1)) {
		t.Error("0 and -0 are equal and have different digests")
	}
	nan := math.NaN()
	if first := Comparable(nan); first == Comparable(nan) {
		t.Error("two calls for NaN give one digest (probability 2^-64)")
	}
}

// TestComparable_KeysDiffer: no two of 2^16 keys share a digest.
func TestComparable_KeysDiffer(t *testing.T) {
	seen := map[uint64]record{}
	for i := range 1 << 16 {
		k := record{uint8(i), string(rune('a' + i>>8&15)), float64(i >> 12), [2]any{"", i & 1}}
		if other, dup := seen[Comparable(k)]; dup {
			t.Fatalf("%+v and %+v share a digest", k, other)
		}
		seen[Comparable(k)] = k
	}
}

func TestComparable_PanicsAsEqualityDoes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a slice in an interface was taken")
		}
	}()
	Comparable[any]([]int{1})
}

// comparableSubjects are what the quality tests know of Comparable: the bytes of a key as values of several types.
func comparableSubjects() []subject {
	word := binary.LittleEndian.Uint64
	return []subject{
		{"comparable", "comparable/uint64", 8, func(key []byte) uint64 { return Comparable(word(key)) }},
		{"comparable", "comparable/halves", 8, func(key []byte) uint64 {
			return Comparable([2]uint32{binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[4:])})
		}},
		{"comparable", "comparable/struct", 16, func(key []byte) uint64 {
			return Comparable(struct {
				a    uint32
				text string
				b    uint64
			}{binary.LittleEndian.Uint32(key), string(key[4:8]), word(key[8:])})
		}},
		{"comparable", "comparable/interface", 8, func(key []byte) uint64 { return Comparable[any](word(key)) }},
		{"comparable", "comparable/string", 0, func(key []byte) uint64 { return Comparable(string(key)) }},
	}
}

func TestComparable_AllocsZero(t *testing.T) {
	if !memory.HidesFree {
		t.Skip("this build allocates, as documented")
	}
	var sum uint64
	text, own := "a string of some length, which is more than 32 bytes", new(int)
	for form, f := range map[string]func(){
		"integer": func() { sum += Comparable(sum) },
		"array":   func() { sum += Comparable([4]uint64{sum, 1}) },
		"struct": func() {
			sum += Comparable(struct {
				n    uint64
				name string
			}{sum, text})
		},
		"made":    func() { var b [20]byte; b[3] = byte(sum); sum += Comparable(string(b[:])) },
		"pointer": func() { sum += Comparable(struct{ p *int }{own}) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", form, n)
		}
	}
}
