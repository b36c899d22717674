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
	once, found, long := 0, 0, 0
	for seed := range uint64(9000) {
		random := rand.New(rand.NewPCG(seed, 8))
		p, data := probe(random)
		lanes, width := uint64(bits.OnesCount64(p.Low)), uint64(bits.OnesCount64(p.Scale))
		if lanes != 4 && lanes != 8 {
			continue
		}
		var moves [32 * 8]uint64
		var tables [32]uint64
		for k := range moves {
			near, to := random.Uint64N(lanes), random.Uint64N(lanes-1)
			far := to + 1 + random.Uint64N(lanes-1-to)
			moves[k] = near | to<<8 | far<<16 | (to|far<<3)<<24 | (far-to)<<32
			if lane, mark := k%8, k/8; lanes == 4 {
				moves[k] = near | to<<8 | far<<16 | (to|far<<2|near<<4)<<24
				tables[mark/2] |= moves[k] >> 24 & 63 << (mark%2*32 + lane%4*8) * uint64(1-lane/4)
			}
		}
		for code := range uint64(16) {
			tables[16+code] = p.Low &^ (1<<(code&3*width) | 1<<(code>>2*width))
		}
		if p.Paired = (*[16]uint64)(tables[:]); lanes == 8 {
			p.Paired = (*[16]uint64)(moves[:])
		}
		m := searchModel{p: &p, data: data, width: width, lanes: lanes, moves: &moves, queue: make([]uint64, 600)}
		for k := range 2 {
			high := 1 + random.Uint64N(lanes-1)
			m.queue[k] = random.Uint64N(p.Buckets)<<32 | high<<m.bits()<<16 | 1<<16 - 1
		}
		few := 2 + random.IntN(100)
		want, exit, n := m.search(few)
		var exits [16]uint64
		queue, words := append(slices.Clone(m.queue[:2]), make([]uint64, len(m.queue)-2)...), make([]uint64, len(m.queue))
		s := Searcher{Probe: p, Few: uint64(few), Queue: &queue[0], Words: &words[0], Exits: &exits[0]}
		for k, node := range queue[:2] {
			s.Roots[k], s.RootWords[k] = node, m.word(node>>32, m.lanesOf(node)[0]*(lanes/4-1))
		}
		for lane := range s.Bits {
			s.Bits[lane] = uint64(lane) % lanes * width
		}
		got := SearchOf(&p)(&data[0], &s.Buckets)
		if out := bits.TrailingZeros64(want); uint32(got) != 0 != (want != 0) || !slices.Equal(queue[:n], m.queue[:n]) ||
			want != 0 && (got>>32 != want>>32 || bits.TrailingZeros64(got) != out || exits[out%16] != exit ||
				out >= 8 && (got^want)>>(16+out%8)&1 != 0) {
			t.Fatalf("seed %d: %+v: found %#x, exits %#x, want %#x, %#x", seed, p, got, exits, want, exit)
		}
		switch {
		case want != 0 && want < 1<<8:
			once++
		case want != 0:
			found++
		}
		if want>>32 > 2 {
			long++
		}
	}
	if once < 100 || found < 100 || long < 10 {
		t.Errorf("%d paths of one kick were found, %d others, %d of them long", once, found, long)
	}
}

// A searchModel searches by the definitions of Search.
type searchModel struct {
	p            *Probe
	data         []byte
	width, lanes uint64
	moves        *[32 * 8]uint64
	queue        []uint64
}

// bits returns how many bits a lane has in a code.
func (m *searchModel) bits() uint64 { return 1 + m.lanes/4 }

func (m *searchModel) lanesOf(node uint64) [2]uint64 {
	return [2]uint64{node >> 16 & (m.lanes - 1), node >> (16 + m.bits()) & (m.lanes - 1)}
}

func (m *searchModel) word(bucket, lane uint64) uint64 {
	bit := bucket*m.p.BucketBits + lane*m.width
	return binary.LittleEndian.Uint64(m.data[bit/8:]) >> (bit % 8)
}

func (m *searchModel) read(bucket, lane uint64) uint64 { return m.word(bucket, lane) & m.p.Scale }

func (m *searchModel) move(fp, lane uint64) uint64 {
	return m.moves[uint64(uint32(fp)*0xc2b2ae35)>>27<<3|lane]
}

// search returns the first that is found, its exit, and how many nodes were queued before the last turn.
func (m *searchModel) search(few int) (found, exit uint64, n int) {
	n = 2
	for head, nodes := 0, 2; head < few; head, nodes = head+nodes, 4 {
		before, lanes := n, [2][8]uint64{}
		for part := range uint64(2) {
			for k := range uint64(2 * nodes) {
				parent := uint64(head) + k/2
				from, own := m.queue[parent]>>32, m.lanesOf(m.queue[parent])
				lane := own[k%2]
				if part == 1 {
					lane = lanes[0][k]
				}
				fp := m.read(from, lane)
				move := m.move(fp, lane)
				across := m.p.across(from, fp)
				out, bit := 8*part+k, uint64(0)
				for _, to := range []uint64{move >> 16 & 7, move >> 8 & 7} {
					if m.read(across, to) == 0 {
						exit, bit = across<<32|to, 1<<out
					}
				}
				if near := move & 7; part == 0 && head == 0 && m.read(from, near) == 0 {
					exit, bit = from<<32|near, 1<<out
				}
				if part == 1 && fp == 0 {
					exit, bit = from<<32|lane, 1<<out|1<<(16+k)
				}
				if bit != 0 {
					return uint64(head)<<32 | bit, exit, before
				}
				lanes[part][k] = move & 7
				m.queue[n] = across<<32 | (2*part+k%2)<<22 | move>>24&63<<16 | parent
				if part == 0 || lane != own[1-k%2] && (k%2 == 0 || lane != lanes[0][k-1]) {
					n++
				}
			}
		}
	}
	return 0, 0, n
}
