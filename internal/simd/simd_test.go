package simd

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// model answers one digest by the definitions of Probe, with arithmetic of 128 bits.
func model(p *Probe, data []byte, h uint64) bool {
	fp := (h&(1<<32-1))*p.Scale>>32 + 1
	i, product := bits.Mul64(h, p.Buckets)
	j := i ^ fp*p.Spread>>32&p.Last
	if p.Arithmetic == Additive {
		x := uint32(fp) * uint32(p.Spread)
		x ^= x >> 16
		c := uint64(x*uint32(p.Last)) * p.Buckets >> 32
		j = (c + p.Buckets - i) % p.Buckets
	}
	width := bits.OnesCount64(p.Scale)
	slot, _ := bits.Mul64(product, p.Slots)
	y := uint64(uint32(fp) * 0xc2b2ae35)
	distance, turn := uint64(0), uint64(0)
	if p.Slots != 0 {
		distance, turn = 1+y*(p.Slots-1)>>32, y>>16%p.Slots
	}
	has := func(bucket, slot uint64) bool {
		bit := bucket * p.BucketBits
		x := binary.LittleEndian.Uint64(data[bit/8:]) >> (bit % 8)
		for lane := range bits.OnesCount64(p.Low) {
			if at := uint64(lane); x>>(lane*width)&p.Scale == fp && (p.Slots == 0 || at == slot || at == slot^distance) {
				return true
			}
		}
		return false
	}
	return has(i, slot) || has(j, slot^turn)
}

// probe returns a random table of one-word buckets and its description.
func probe(random *rand.Rand) (p Probe, data []byte) {
	width, lanes := uint(1+random.IntN(32)), uint(1+random.IntN(8))
	for width*lanes > 57 && (width*lanes > 64 || width*lanes%8 != 0) {
		width, lanes = uint(1+random.IntN(32)), uint(1+random.IntN(8))
	}
	p = Probe{Buckets: 1 + random.Uint64N(300), Scale: 1<<width - 1, BucketBits: uint64(width * lanes), Spread: random.Uint64()}
	for lane := range lanes {
		p.Low |= 1 << (lane * width)
	}
	p.High = p.Low << (width - 1)
	if random.IntN(2) == 0 {
		p.Arithmetic, p.Last = Additive, random.Uint64()
	} else {
		p.Arithmetic = XOR
		p.Buckets = 1 << random.IntN(10)
		p.Last = p.Buckets - 1
	}
	if (lanes == 4 || lanes == 8) && random.IntN(2) == 0 {
		p.Slots, p.Width = uint64(lanes), uint64(width)
	}
	data = make([]byte, (p.Buckets*p.BucketBits+7)/8+8)
	share := random.IntN(3) // one lane in 4, 2 or 1 is used, more or less
	for k := range data[:len(data)-8] {
		if random.IntN(4>>share) == 0 {
			data[k] = byte(random.Uint32())
		}
	}
	return p, data
}

// TestContains_IsTheModel holds the kernels against the definitions, on every shape that they take.
func TestContains_IsTheModel(t *testing.T) {
	if !Available {
		t.Skip("no kernel here")
	}
	tables := 3000
	if testing.Short() {
		tables = 300
	}
	found, paired := 0, 0
	for seed := range uint64(tables) {
		random := rand.New(rand.NewPCG(seed, 3))
		p, data := probe(random)
		hs := make([]uint64, random.IntN(50))
		for k := range hs {
			hs[k] = random.Uint64()
		}
		dst := make([]bool, len(hs)+1)
		n := Contains(&p, data, hs, dst)
		if n != len(hs)&^(Lanes-1) {
			t.Fatalf("seed %d: %d of %d answered", seed, n, len(hs))
		}
		for k, h := range hs[:n] {
			if want := model(&p, data, h); dst[k] != want {
				t.Fatalf("seed %d: %+v: digest %#x: %v, want %v", seed, p, h, dst[k], want)
			}
			if dst[k] {
				found++
				paired += int(min(p.Slots, 1))
			}
		}
		for k, wrote := range dst[n:] {
			if wrote {
				t.Fatalf("seed %d: wrote to dst[%d], beyond the %d answered", seed, n+k, n)
			}
		}
	}
	if found == 0 || paired == 0 {
		t.Errorf("%d digests were found in all tables, %d of them with paired slots", found, paired)
	}
}

// TestContains_OfNoArithmetic: a rule that names no arithmetic is left to the caller's loop.
func TestContains_OfNoArithmetic(t *testing.T) {
	p, data := probe(rand.New(rand.NewPCG(1, 3)))
	p.Arithmetic = None
	if n := Contains(&p, data, make([]uint64, 64), make([]bool, 64)); n != 0 {
		t.Errorf("%d digests were answered", n)
	}
}

// TestPrefetch_TakesAnyOffset asks for lines inside and outside of a table.
func TestPrefetch_TakesAnyOffset(t *testing.T) {
	data := make([]byte, 100)
	Prefetch(data, nil)
	Prefetch(data, []uint64{0, 99, 100, 1 << 20, 1 << 40})
}
