package cuckoo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
)

// TestScalableView_AnswersAsTheFilter compares all queries, and holds that none allocates.
func TestScalableView_AnswersAsTheFilter(t *testing.T) {
	s, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Kick: lazy{}, Capacity: 60}, 4000)
	v, err := OpenScalableView[fingerprint.Bits12](b)
	if err != nil || v.VerifyChecksum() != nil {
		t.Fatal(err)
	}
	if c := v.Config(); c.Kick != nil || c.Capacity != 60 || c.MaxDoublings != s.config.MaxDoublings || c.FalsePositiveRate != s.config.FalsePositiveRate {
		t.Errorf("%v, want %v", c, s.config)
	}
	if got, want := fmt.Sprint(v.Len(), v.Slots(), v.Doublings(), v.LoadFactor(), v.SizeBytes(), v.FalsePositiveRate()),
		fmt.Sprint(s.Len(), s.Slots(), s.Doublings(), s.LoadFactor(), s.SizeBytes(), s.FalsePositiveRate()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%v\n%#v", v, v), fmt.Sprintf("%v\n%#v", s, s); got != strings.ReplaceAll(want, "/kick=lazy", "") {
		t.Errorf("%s\nof\n%s", got, want)
	}
	r := rand.New(rand.NewPCG(11, 0x5eed))
	hs := make([]uint64, 5000) // a thousand were never inserted
	for i := range hs {
		hs[i] = r.Uint64()
		key := fmt.Sprint(hs[i])
		if v.ContainsHash(hs[i]) != s.ContainsHash(hs[i]) || v.CountHash(hs[i]) != s.CountHash(hs[i]) ||
			v.ContainsString(key) != s.ContainsString(key) || v.CountString(key) != s.CountString(key) {
			t.Fatalf("digest %#x: the view differs", hs[i])
		}
	}
	dst, want := make([]bool, len(hs)), make([]bool, len(hs))
	v.ContainsHashes(hs, dst)
	s.ContainsHashes(hs, want)
	if fmt.Sprint(dst) != fmt.Sprint(want) {
		t.Error("ContainsHashes differs")
	}
	n := byte(0)
	allocs := testing.AllocsPerRun(100, func() {
		n++
		key := [9]byte{n, 2, 3}
		var dst [4]bool
		v.Contains(key[:])
		v.ContainsString("hello")
		v.Count(key[1:])
		v.ContainsHashes([]uint64{1, 2, 3, uint64(n)}, dst[:])
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestScalableView_OpensWithoutTheTable damages every byte behind the directory: the view opens, as it would have to read
// pages all over a mapped file to notice, and VerifyChecksum tells.
func TestScalableView_OpensWithoutTheTable(t *testing.T) {
	s, b := encodedScalable[fingerprint.Bits12](t, ScalableConfig{Capacity: 9}, 100)
	table := len(b) - 8 - s.SizeBytes()
	for at := table; at < len(b); at++ {
		b[at] ^= 1
		v, err := OpenScalableView[fingerprint.Bits12](b)
		if err != nil || !errors.Is(v.VerifyChecksum(), ErrCorrupt) {
			t.Fatalf("byte %d of %d: %v", at, len(b), err)
		}
		v.CountHash(1)
		b[at] ^= 1
	}
	b[table-1] ^= 1
	v, err := OpenScalableView[fingerprint.Bits12](b)
	if err == nil {
		err = v.VerifyChecksum() // zeros behind the directory
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("the last byte of the directory: %v", err)
	}
}
