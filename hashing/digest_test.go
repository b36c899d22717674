package hashing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"github.com/nestfilter/nest/internal/errs"
)

func TestDigest_TakesTheLeadingBytes(t *testing.T) {
	sum := sha256.Sum256([]byte("abc")) // FIPS 180-4, appendix: begins with ba7816bf 8f01cfea
	for n := range len(sum) + 1 {
		h, err := Digest(sum[:n])
		if n < 8 {
			if h != 0 || !errors.Is(err, errs.TooShort) {
				t.Errorf("%d bytes: %#x, %v", n, h, err)
			}
			continue
		}
		if h != 0xba7816bf8f01cfea || err != nil {
			t.Errorf("%d bytes: %#x, %v", n, h, err)
		}
	}
	h, err := Digest(nil)
	if h != 0 || !errors.Is(err, ErrTooShort) {
		t.Errorf("Digest(nil) = %#x, %v", h, err)
	}
	h, _ = Digest(sum[:])
	if got, want := fmt.Sprintf("%016x", h), fmt.Sprintf("%x", sum)[:16]; got != want {
		t.Errorf("the digest prints as %s, the sum begins with %s", got, want)
	}
}

func TestDigest_AllocsZero(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		var sum [32]byte
		sum[3] = 1
		if h, err := Digest(sum[:]); h == 0 || err != nil {
			t.Error(h, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
