package hashing

import (
	"os/exec"
	"strings"
	"testing"

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
