//go:build amd64 && !purego && !race

package simd

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/cpu"
)

// eachSet runs a test with the kernels of every kind of processors that this one is.
func eachSet(t *testing.T, test func(t *testing.T)) {
	before := twin
	defer func() { twin = before }()
	for name, has := range map[string]bool{"avx512": cpu.HasAVX512, "avx2": cpu.HasAVX2} {
		t.Run(name, func(t *testing.T) {
			if twin = choose(has && name == "avx512", has); !has {
				t.Skip("no kernel here")
			}
			test(t)
		})
	}
}

// TestChoose_TakesTheWidest asks for made-up processors.
func TestChoose_TakesTheWidest(t *testing.T) {
	if choose(true, true) != 0 || choose(false, true) != 1 || choose(false, false) != -1 {
		t.Error("other kernels")
	}
}

// TestKernels_OfAVX2NeedNoMore reads the assembly: the assembler takes an instruction of AVX-512 where a register
// beyond the 16th is named, and no test on a processor that has both would notice.
func TestKernels_OfAVX2NeedNoMore(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	beyond := regexp.MustCompile(`\b([ZK][0-9]+|[XY](1[6-9]|[23][0-9]))\b|AVX512`)
	kernels := 0
	for _, function := range strings.Split(string(text), "\n// func ") {
		if name, body, _ := strings.Cut(function, "("); strings.HasSuffix(name, "256") {
			kernels++
			if found := beyond.FindString(body); found != "" {
				t.Errorf("%s has %s", name, found)
			}
		}
	}
	if kernels != 17 {
		t.Errorf("%d kernels of AVX2", kernels)
	}
}

// TestKernels_AllocateNothing calls each kind with slices on the stack.
func TestKernels_AllocateNothing(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		p, data := probe(rand.New(rand.NewPCG(1, 3)))
		p.Paired = nil
		if n := testing.AllocsPerRun(100, func() {
			p, m, x := p, Mixer{Increment: 1, Factor1: 3, Factor2: 5}, PrefixProbe{Shift: 63, BucketBits: 8}
			var hs, at, lanes [32]uint64
			var dst [32]bool
			Mix(&m, hs[:], hs[:])
			Contains(&p, data, hs[:], dst[:])
			Locate(&p, data, hs[:], at[:], lanes[:])
			ContainsPrefix(&x, data, hs[:], dst[:])
			ContainsAged(&AgedProbe{Buckets: 1, BucketBits: 8}, data, hs[:], dst[:])
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
