package hashing

import (
	"encoding/binary"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/constraints"
	"pgregory.net/rapid"
)

// unmix64 inverts Mix64: that it exists is what makes Mix64 a bijection.
func unmix64(h uint64) uint64 {
	h = unxorshift(h, 31) * inverse(mixFactor2)
	h = unxorshift(h, 27) * inverse(mixFactor1)
	return unxorshift(h, 30) - mixIncrement
}

// unxorshift solves h = k ^ k>>s for k: each round makes s more of the high bits right.
func unxorshift(h uint64, s uint) uint64 {
	k := h
	for known := s; known < 64; known += s {
		k = h ^ k>>s
	}
	return k
}

// inverse is the inverse of an odd number modulo 2^64 by Newton's iteration: 3 bits are right at the
// start, and each round doubles them.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

func TestMix64_IsBijection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Uint64().Draw(t, "k")
		if got := unmix64(Mix64(k)); got != k {
			t.Fatalf("unmix64(Mix64(%#x)) = %#x", k, got)
		}
		if got := Mix64(unmix64(k)); got != k {
			t.Fatalf("Mix64(unmix64(%#x)) = %#x", k, got)
		}
	})
}

func TestMix64_ZeroAsDocumented(t *testing.T) {
	if got := Mix64(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("Mix64(0) = %#x", got)
	}
	if got := Mix64(0x61c8864680b583eb); got != 0 {
		t.Errorf("Mix64(0x61c8864680b583eb) = %#x, want 0", got)
	}
}

// mixed holds Mix of some numbers of a type to Mix64 of what they are converted to.
func mixed[K constraints.Integer](t *testing.T, keys map[K]uint64) {
	t.Helper()
	for k, word := range keys {
		if got, want := Mix(k), Mix64(word); got != want {
			t.Errorf("Mix(%T(%d)) = %#x, want that of %#x, %#x", k, k, got, word, want)
		}
	}
}

type userID int16

// TestMix_OfEveryType writes out what negative, unsigned and named keys are converted to.
func TestMix_OfEveryType(t *testing.T) {
	mixed(t, map[int]uint64{0: 0, 7: 7, -1: 1<<64 - 1, -7: 1<<64 - 7})
	mixed(t, map[int8]uint64{127: 127, -1: 1<<64 - 1, -128: 1<<64 - 128})
	mixed(t, map[int16]uint64{1<<15 - 1: 1<<15 - 1, -1: 1<<64 - 1, -1 << 15: 1<<64 - 1<<15})
	mixed(t, map[int32]uint64{1<<31 - 1: 1<<31 - 1, -1: 1<<64 - 1, -1 << 31: 1<<64 - 1<<31})
	mixed(t, map[int64]uint64{1<<63 - 1: 1<<63 - 1, -1: 1<<64 - 1, -1 << 63: 1 << 63})
	mixed(t, map[uint]uint64{0: 0, 7: 7, 1<<32 - 1: 1<<32 - 1})
	mixed(t, map[uint8]uint64{255: 255})
	mixed(t, map[uint16]uint64{1<<16 - 1: 1<<16 - 1})
	mixed(t, map[uint32]uint64{1<<32 - 1: 1<<32 - 1})
	mixed(t, map[uint64]uint64{1<<64 - 1: 1<<64 - 1})
	mixed(t, map[uintptr]uint64{7: 7, 1<<32 - 1: 1<<32 - 1})
	mixed(t, map[userID]uint64{300: 300, -2: 1<<64 - 2})
	mixed(t, map[rune]uint64{'a': 'a'})
}

func TestMix_AllocsZero(t *testing.T) {
	var sum uint64
	k := userID(-3)
	if n := testing.AllocsPerRun(100, func() { k++; sum += Mix(k) + Mix(sum) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMix64_IsInlinable asks the compiler: a call would cost more than the mixing.
func TestMix64_IsInlinable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	out, err := exec.Command(gotool, "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "can inline Mix64") {
		t.Errorf("Mix64 is no longer inlined:\n%s", out)
	}
}

// mixedAll holds MixAll of keys to Mix64 of each, into a slice that is longer and in place.
func mixedAll(t *testing.T, keys []uint64) {
	t.Helper()
	want := make([]uint64, len(keys))
	for i, k := range keys {
		want[i] = Mix64(k)
	}
	const beyond = 0xdead
	before, got := slices.Clone(keys), slices.Repeat([]uint64{beyond}, len(keys)+9)
	MixAll(keys, got)
	if !slices.Equal(got[:len(keys)], want) {
		t.Fatalf("MixAll(%#x) = %#x, want %#x", keys, got[:len(keys)], want)
	}
	for i, word := range got[len(keys):] {
		if word != beyond {
			t.Fatalf("MixAll of %d keys wrote %d words further", len(keys), i+1)
		}
	}
	if !slices.Equal(keys, before) {
		t.Fatalf("MixAll changed its keys from %#x to %#x", before, keys)
	}
	if MixAll(keys, keys); !slices.Equal(keys, want) {
		t.Fatalf("MixAll(%#x) = %#x in place, want %#x", before, keys, want)
	}
}

// TestMixAll_IsMix64 tries every number of keys from none to several steps of the kernel and a rest, at every alignment.
func TestMixAll_IsMix64(t *testing.T) {
	for n := range 70 {
		for from := range 8 {
			keys := make([]uint64, from+n)
			for i := range keys {
				keys[i] = Mix64(uint64(n<<8|from)) + uint64(i)*0xf00dfeed
			}
			mixedAll(t, keys[from:])
		}
	}
	mixedAll(t, []uint64{0, 1, 1<<64 - 1, 1 << 63, 1<<63 - 1, 0x61c8864680b583eb, 1<<32 - 1, 1 << 32})
}

func FuzzMixAllAgainstMix64(f *testing.F) {
	f.Add(make([]byte, 8*9))
	f.Add([]byte("sixteen bytes of two keys, and so on: eight keys are sixty-four bytes, and one more"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var keys []uint64
		for ; len(data) >= 8; data = data[8:] {
			keys = append(keys, binary.LittleEndian.Uint64(data))
		}
		mixedAll(t, keys)
	})
}

// TestMixAll_PanicsIfShort: spare capacity is not room either.
func TestMixAll_PanicsIfShort(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	MixAll(make([]uint64, 9), make([]uint64, 8, 16))
}

func TestMixAll_AllocsZero(t *testing.T) {
	keys := make([]uint64, 100)
	if n := testing.AllocsPerRun(100, func() { MixAll(keys, keys) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
