package hashing

// Golden digests. Do not change them: filters on disk were filled with these digests, and a
// family that computes others makes every stored key a false negative. A new family gets new lines.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
)

type golden struct {
	key  string
	want uint64
}

func checkGolden(t *testing.T, h Hasher, goldens []golden) {
	t.Helper()
	for _, g := range goldens {
		if got := h.Sum64([]byte(g.key)); got != g.want {
			t.Errorf("%s: Sum64(%q) = %#016x, want %#016x", h.Recipe(), g.key, got, g.want)
		}
	}
}

// sanityBuffer makes the input of the self-test of xxHash (github.com/Cyan4973/xxHash,
// cli/xsum_sanity_check.c).
func sanityBuffer(n int) string {
	b := make([]byte, n)
	for i, x := 0, uint64(2654435761); i < n; i, x = i+1, x*11400714785074694797 {
		b[i] = byte(x >> 56)
	}
	return string(b)
}

func TestGolden_XXH64(t *testing.T) {
	const moby = "Call me Ishmael. Some years ago--never mind how long precisely-"
	// Lengths 0 to 222: the self-test of xxHash. Text: the tests of cespare/xxhash v2.3.0.
	checkGolden(t, XXH64(0), []golden{
		{"", 0xef46db3751d8e999},
		{sanityBuffer(1), 0xe934a84adb052768},
		{sanityBuffer(4), 0x9136a0dca57457ee},
		{sanityBuffer(14), 0x8282dcc4994e35c8},
		{sanityBuffer(222), 0xb641ae8cb691c174},
		{"a", 0xd24ec4f1a98c6e5b},
		{"asdf", 0x415872f599cea71e},
		{moby, 0x02a2e85470d6fd96},
	})
	checkGolden(t, XXH64(2654435761), []golden{
		{"", 0xac75fda2929b17ef},
		{sanityBuffer(1), 0x5014607643a9b4c3},
		{sanityBuffer(14), 0xc3bd6bf63deb6df0},
		{sanityBuffer(222), 0x20cb8ab7ae10c14a},
	})
	checkGolden(t, XXH64(123), []golden{{"", 0xe0db84de91f3e198}})
	checkGolden(t, XXH64(1<<64-1), []golden{{"asdf", 0x9a2fd8473be539b6}})
	checkGolden(t, XXH64(54321), []golden{{moby, 0x1736d186daf5d1cd}})
}

// TestGolden_XXH3 has the self-test of xxHash 0.8.3 for every way of hashing, and every place where a block or a stripe ends.
func TestGolden_XXH3(t *testing.T) {
	for seed, wants := range map[uint64]map[int]uint64{
		0: {
			0:    0x2d06800538d394c2,
			1:    0xc44bdff4074eecdb,
			6:    0x27b56a84cd2d7325,
			12:   0xa713daf0dfbb77e7,
			24:   0xa3fe70bf9d3510eb,
			48:   0x397da259ecba1f11,
			80:   0xbcdefbbb2c47c90a,
			195:  0xcd94217ee362ec3a,
			403:  0xcdeb804d65c6dea4,
			512:  0x617e49599013cb6b,
			2048: 0xdd59e2c3a5f038e0,
			2099: 0xc6b9d9b3fc9ac765,
			2240: 0x6e73a90539cf2948,
			2367: 0xcb37aeb9e5d361ed,
		},
		0x9e3779b185ebca8d: {
			0:    0xa8a6b918b2f0364a,
			1:    0x032be332dd766ef8,
			6:    0x84589c116ab59ab9,
			12:   0xe7303e1b2336de0e,
			24:   0x850e80fc35bdd690,
			48:   0xadc2cbaa44acc616,
			80:   0xc6dd0cb699532e73,
			195:  0xba68003d370cb3d9,
			403:  0x6259f6ecfd6443fd,
			512:  0x3ce457de14c27708,
			2048: 0x66f81670669ababc,
			2099: 0x184f316843663974,
			2240: 0x757ba8487d1b5247,
			2367: 0xd2db3415b942b42a,
		},
	} {
		for n, want := range wants {
			checkGolden(t, XXH3(seed), []golden{{sanityBuffer(n), want}})
		}
	}
}

func TestGolden_Metro64(t *testing.T) {
	// The two test vectors of MetroHash (J. Andrew Rogers, testvector.h), read as little-endian.
	const digits63 = "012345678901234567890123456789012345678901234567890123456789012"
	checkGolden(t, Metro64(0), []golden{{digits63, 0xad4b7006ae3d756b}})
	checkGolden(t, Metro64(1), []golden{{digits63, 0xdfb8b9f41c480d3b}})
	// Lengths 0 to 3: the tests of dgryski/go-metro.
	checkGolden(t, Metro64(0), []golden{{"", 0x705fb008071e967d}})
	checkGolden(t, Metro64(1), []golden{{"\x57", 0x994b888860087081}})
	checkGolden(t, Metro64(2), []golden{{"\xfc\x43", 0x6f3e3ba283525385}})
	checkGolden(t, Metro64(3), []golden{{"\x66\xe0\xf5", 0x0b7786378513641b}})
}

// TestGolden_Metro64AsOtherFiltersUseIt checks seed 1337 against dumps of two filters in the field
// that held the keys "a", "hello" and "cuckoo", by the rules that those filters split a digest by.
func TestGolden_Metro64AsOtherFiltersUseIt(t *testing.T) {
	h := Metro64(1337)
	seiflotfy := [4]uint64{0, 0xd3, 0xed, 0x84} // first slot of each bucket: 00000000d3000000ed00000084000000
	panmari := []uint64{0xd925, 0x4fbc, 0xbabe} // bucket 3 of 4: 25d9bc4fbeba0000
	for i, key := range []string{"a", "hello", "cuckoo"} {
		d := h.Sum64String(key)
		if bucket, fp := d>>32&3, d%255+1; seiflotfy[bucket] != fp {
			t.Errorf("seiflotfy/cuckoofilter: %q has fingerprint %#x in bucket %d, dumped %#x", key, fp, bucket, seiflotfy)
		}
		if got := d>>48%65534 + 1; got != panmari[i] || d&3 != 3 {
			t.Errorf("panmari/cuckoofilter: %q has fingerprint %#x in bucket %d, dumped %#x in 3", key, got, d&3, panmari[i])
		}
	}
}

func TestGolden_FNV1a(t *testing.T) {
	// Published values of FNV-1a (RFC 9923), under the finish that this package adds.
	checkGolden(t, FNV1a(0), []golden{
		{"", Mix64(0xcbf29ce484222325)},
		{"a", Mix64(0xaf63dc4c8601ec8c)},
		{"foobar", Mix64(0x85944171f73967e8)},
		{"Hello!\x01\xff\xed", Mix64(0xbd51ea7094ee6fa1)},
	})
	// The finish written out, and a seed; made by the first version of this package.
	checkGolden(t, FNV1a(0), []golden{{"foobar", 0x5df295413403de4f}})
	checkGolden(t, FNV1a(42), []golden{{"foobar", 0x1214e024c636ac2c}})
	for n := range 71 {
		key := sanityBuffer(n)
		plain := fnv.New64a()
		plain.Write([]byte(key))
		if got, want := FNV1a(0).Sum64String(key), Mix64(plain.Sum64()); got != want {
			t.Errorf("length %d: FNV1a = %#x, Mix64 of hash/fnv = %#x", n, got, want)
		}
	}
}

// TestGolden_Murmur64AAsOtherFiltersUseIt checks seed 0 against the vectors of testdata/murmur64a.txt,
// which says where they are from.
func TestGolden_Murmur64AAsOtherFiltersUseIt(t *testing.T) {
	text, err := os.ReadFile("testdata/murmur64a.txt")
	if err != nil {
		t.Fatal(err)
	}
	var goldens []golden
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var g golden
		digits, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := fmt.Sscanf(digest, "%x", &g.want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		key, err := hex.DecodeString(strings.TrimPrefix(digits, "-"))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		g.key = string(key)
		goldens = append(goldens, g)
	}
	if len(goldens) != 40 {
		t.Errorf("%d vectors, want 40", len(goldens))
	}
	checkGolden(t, Murmur64A(0), goldens)
}

// TestGolden_Murmur64ASeeds checks other seeds against std::_Hash_bytes of libstdc++ (GCC 12, 64-bit),
// which is MurmurHash64A.
func TestGolden_Murmur64ASeeds(t *testing.T) {
	checkGolden(t, Murmur64A(1), []golden{
		{"", 0xc6a4a7935bd064dc},
		{"a", 0xa52be5b3f6674b2a},
		{"cuckoo filter", 0x4ec6b3f139eb2d70},
		{"12345678", 0x890060166fadafa0},
	})
	checkGolden(t, Murmur64A(0xc70f6907), []golden{
		{"", 0x553e93901e462a6e},
		{"cuckoo", 0x01026fcf7f377b70},
		{"12345678", 0x8c5b90a33a04dca5},
	})
	checkGolden(t, Murmur64A(1<<64-1), []golden{
		{"", 0xb0d9485c2cd761b2},
		{"cuckoo", 0x05a82c74cf6fad86},
		{"cuckoo filter", 0x291ef48aabd3d43b},
	})
}

func TestGolden_SipHash(t *testing.T) {
	// Test vectors of the reference implementation (github.com/veorq/SipHash, vectors.h): key 00 to 0f,
	// messages 00, 01, 02, ... of length 0, 1, 2, ...; results as little-endian words.
	var key [16]byte
	message := make([]byte, 64)
	for i := range message {
		message[i] = byte(i)
	}
	copy(key[:], message)
	h := SipHash(key)
	for n, want := range []uint64{
		0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
		0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
		0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
		0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
	} {
		if got := h.Sum64(message[:n]); got != want {
			t.Errorf("length %d: %#016x, want %#016x", n, got, want)
		}
	}
	if got, want := h.Sum64(message[:63]), uint64(0x958a324ceb064572); got != want {
		t.Errorf("length 63: %#016x, want %#016x", got, want)
	}
	if got, want := h.Recipe(), "siphash:key-24084f4f89de4110"; got != want {
		t.Errorf("Recipe = %q, want %q: files hold it", got, want)
	}
}

func TestGolden_Mix64(t *testing.T) {
	// The first five outputs of SplitMix64 from seed 1234567, as published on Rosetta Code
	// ("Pseudo-random numbers/Splitmix64"): the generator adds its increment before each.
	k := uint64(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821,
	} {
		if got := Mix64(k); got != want {
			t.Errorf("output %d: %d, want %d", i, got, want)
		}
		k += mixIncrement
	}
}

// TestGolden_Uint64 pins the byte order of integer keys: little-endian on every machine.
func TestGolden_Uint64(t *testing.T) {
	const k = 0x0123456789abcdef
	key := binary.LittleEndian.AppendUint64(nil, k)
	if got, want := XXH64(0).Sum64Uint64(k), XXH64(0).Sum64(key); got != want || got != 0xea3c52081e9843ec {
		t.Errorf("Sum64Uint64 = %#016x, of the bytes %#016x", got, want)
	}
}
