package integerhash

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/hashing"
)

// TestGolden_Digests pins the families, drawing of the parameters included; made by their first version.
func TestGolden_Digests(t *testing.T) {
	for _, c := range []struct {
		h    hashing.Hasher
		want [3]uint64
	}{
		{TwoIndependentMultiplyShift(0), [3]uint64{0xd2238f72c9c0ed11, 0x0ab85d5bb853b681, 0x87e350a9f0c753c9}},
		{TwoIndependentMultiplyShift(42), [3]uint64{0x17ce120859869a21, 0xb153dc2214cf2c75, 0x91bf7fa2a23c77f5}},
		{SimpleTabulation(0), [3]uint64{0x4a1c1cff7be4445d, 0xc6606572a05e08f7, 0x96ca7960580c0f83}},
		{SimpleTabulation(42), [3]uint64{0x5858ce4eae5a740c, 0x0d8a2a7054a1a97e, 0x958fec9ad3ed0136}},
	} {
		for i, k := range []uint64{0, 1, 0x0123456789abcdef} {
			if got := c.h.Sum64Uint64(k); got != c.want[i] {
				t.Errorf("%s: Sum64Uint64(%#x) = %#016x, want %#016x", c.h.Recipe(), k, got, c.want[i])
			}
		}
	}
}

// TestGolden_Filters opens filters of every kind that were written when these families were part of package hashing
// (growing filters later, when they became one table): a line has the kind, the recipe, and the bytes in hexadecimal.
// Each holds the squares of 0 to 19.
func TestGolden_Filters(t *testing.T) {
	file, err := os.Open("testdata/filters.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[nest.Kind]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		name := fields[0] + " " + fields[1]
		b, err := hex.DecodeString(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		h := map[string]hashing.Hasher{
			"multiply-shift:7": TwoIndependentMultiplyShift(7), "tabulation:18446744073709551615": SimpleTabulation(1<<64 - 1),
		}[fields[1]]
		_, alone := nest.Open(b)
		_, near := nest.Open(b, TwoIndependentMultiplyShift(0), SimpleTabulation(0))
		for _, err := range []error{alone, near} {
			if !errors.Is(err, nest.ErrMismatch) || !errors.Is(err, hashing.ErrUnknown) || !strings.Contains(err.Error(),
				fields[1]) {
				t.Errorf("%s: opened without its hash: %v", name, err)
			}
		}
		f, err := nest.Open(b, h)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen[f.Spec().Kind]++
		v, err := nest.OpenView(b, h)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := f.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) || string(f.Spec().Kind) != fields[0] || f.Len() != 20 {
			t.Errorf("%s: opened as %v of %d keys, %v", name, f.Spec(), f.Len(), err)
		}
		d := f.Digester()
		for k := range uint64(20) {
			if digest := d.Sum64Uint64(k * k); !f.ContainsHash(digest) || !v.ContainsHash(digest) {
				t.Errorf("%s: %d is lost", name, k*k)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, kind := range nest.Kinds() {
		if f, err := nest.New(nest.Spec{Kind: kind, Capacity: 9, FalsePositiveRate: .01, Concurrent: true}); err == nil &&
			f != nil {
			continue // its files are those of another kind
		}
		if kind != nest.Best && kind != nest.Fuse && kind != nest.Window && seen[kind] != 2 {
			t.Errorf("%d filters of kind %v, want 2", seen[kind], kind)
		}
	}
}
