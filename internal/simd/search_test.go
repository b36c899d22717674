package simd

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSearch_IsTheModel holds the kernels that search for a path against the definitions, with 4 and with 8 lanes.
func TestSearch_IsTheModel(t *testing.T) { eachSet(t, searchIsTheModel) }

func searchIsTheModel(t *testing.T) {
	found, long := 0, 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 8))
		p, data := probe(random)
		lanes, width := uint64(bits.OnesCount64(p.Low)), uint64(bits.OnesCount64(p.Scale))
		if lanes != 4 && lanes != 8 {
			continue
		}
		var moves [32 * 8]uint64
		p.Paired = new([16]uint64)
		for k := range moves {
			near, to := random.Uint64N(lanes), random.Uint64N(lanes-1)
			moves[k] = near | to<<8 | (to+1+random.Uint64N(lanes-1-to))<<16
			if lane, mark := k%8, k/8; lane < 4 {
				p.Paired[mark/4] |= near & 3 << (mark%4*16 + lane*2)
				p.Paired[8+mark/4] |= (to&3 | moves[k]>>16&3<<2) << (mark%4*16 + lane*4)
			}
		}
		if lanes == 8 {
			p.Paired = (*[16]uint64)(moves[:])
		}
		m := searchModel{p: &p, data: data, width: width, moves: &moves, queue: make([]uint64, 600)}
		for k := range 2 {
			m.queue[k] = random.Uint64N(p.Buckets)<<32 | (1+random.Uint64N(lanes-1))<<24 | 1<<16 - 1
		}
		few := 2 + random.IntN(100)
		want, exit, n := m.search(few)
		var exits [16]uint64
		queue := append(slices.Clone(m.queue[:6]), make([]uint64, len(m.queue)-6)...)
		got := Search(&p, data, &queue[0], &exits[0], few)
		if out := bits.TrailingZeros64(want); uint32(got) != 0 != (want != 0) || !slices.Equal(queue[:n], m.queue[:n]) ||
			want != 0 && (got>>32 != want>>32 || bits.TrailingZeros64(got) != out || exits[out%16] != exit ||
				out >= 8 && (got^want)>>(16+out%8)&1 != 0) {
			t.Fatalf("seed %d: %+v: found %#x, exits %#x, want %#x, %#x", seed, p, got, exits, want, exit)
		}
		if want != 0 {
			found++
		}
		if want>>32 > 2 {
			long++
		}
	}
	if found < 100 || long < 10 {
		t.Errorf("%d paths were found, %d of them long", found, long)
	}
}

// A searchModel searches by the definitions of Search.
type searchModel struct {
	p     *Probe
	data  []byte
	width uint64
	moves *[32 * 8]uint64
	queue []uint64
}

func (m *searchModel) read(bucket, lane uint64) uint64 {
	bit := bucket*m.p.BucketBits + lane*m.width
	return binary.LittleEndian.Uint64(m.data[bit/8:]) >> (bit % 8) & m.p.Scale
}

// search returns the first that is found, its exit, and how many nodes were queued before the last turn.
func (m *searchModel) search(few int) (found, exit uint64, n int) {
	n = 2
	for head, nodes := 0, 2; head < few; head, nodes = head+nodes, 4 {
		before, lanes := n, [2][8]uint64{}
		for part := range uint64(2) {
			for k := range uint64(2 * nodes) {
				parent := uint64(head) + k/2
				from, own := m.queue[parent]>>32, [2]uint64{m.queue[parent] >> 16 & 7, m.queue[parent] >> 24 & 7}
				lane := own[k%2]
				if part == 1 {
					lane = lanes[0][k]
				}
				fp := m.read(from, lane)
				move := m.moves[uint64(uint32(fp)*0xc2b2ae35)>>27<<3|lane]
				across := m.p.across(from, fp)
				out, bit := 8*part+k, uint64(0)
				for _, to := range []uint64{move >> 16 & 7, move >> 8 & 7} {
					if m.read(across, to) == 0 {
						exit, bit = across<<32|to, 1<<out
					}
				}
				if part == 1 && fp == 0 {
					exit, bit = from<<32|lane, 1<<out|1<<(16+k)
				}
				if bit != 0 && head+int(part) > 0 {
					return uint64(head)<<32 | bit, exit, before
				}
				lanes[part][k] = move & 7
				m.queue[n] = across<<32 | move>>16&7<<24 | (2*part+k%2)<<19 | move>>8&7<<16 | parent
				if part == 0 || lane != own[1-k%2] && (k%2 == 0 || lane != lanes[0][k-1]) {
					n++
				}
			}
		}
	}
	return 0, 0, n
}
