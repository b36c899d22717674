package packed

import (
	"github.com/nestfilter/nest/internal/memory"
)

// The layout Paired has the lanes of a bucket one behind the other, as the plain layouts do, and its tables have the
// same bytes. But a value may be in two lanes of a bucket only, a pair. A matching splits the lanes of a bucket into
// pairs, which have a place in it. A value has a mark: a matching, and a turn, which leads from the place of its pair
// in one bucket to that in its other bucket. So a mark and a place, m<<2 | p, give a pair, and are its number. With 4
// lanes a matching has two pairs, and the higher bit of a place says nothing.
//
// Package kick says which pair is whose. Here are the two things that one can do with a pair fast: look at its two
// lanes one by one, at any width, and compare all lanes of a word, its window, of which all but two are blocked.

const (
	// Marks is how many marks there are, and MarkBits their bits.
	Marks    = 1 << MarkBits
	MarkBits = 5
	// Pairs is how many numbers of pairs there are, and PlaceBits the bits of a place.
	Pairs     = Marks * places
	PlaceBits = 2
	places    = 1 << PlaceBits
)

// Pairing says which lanes of a bucket are a pair, and where a turn leads.
type Pairing struct {
	// Lanes are the two lanes of a pair, the lower one first, by its number.
	Lanes [Pairs][2]uint8
	// Across is the number of the pair in the other bucket, by that of a pair, and the other way round.
	Across [Pairs]uint8
	// Moves are, by the mark of a value and the lane that it is in, the lanes that it may move to.
	Moves [Marks * 8]Move
	// Place is the place of the pair that a lane is in, by mark.
	Place [Marks][8]uint8
	// matchings is, by mark, the number of its matching and, in the lowest bits, its turn.
	matchings [Marks]uint8
}

// A Move has, in its lowest byte, the other lane of a pair, and in the next two bytes the lanes of the pair across, the
// lower one first. Then come its code, of six bits, and how far apart the latter are. The code has these two lanes
// again, in three bits each or, of 4 lanes, two, and then behind them the other lane of the pair.
type Move = uint64

// newMove returns a Move.
func newMove(near, to, far uint8, lanes int) Move {
	code := to | far<<3
	if lanes == 4 {
		code = to | far<<2 | near<<4
	}
	return Move(near) | Move(to)<<8 | Move(far)<<16 | Move(code)<<24 | Move(far-to)<<32
}

// near4 are the matchings of 4 lanes, near8 eight of those of 8 lanes in which no two lanes of a pair are more than
// four lanes apart: one load has both at widths up to 12. All 22 such pairs are there, about equally often. A bucket
// then fills nearly as well as with all 28 pairs: first refusal at .970 in place of .972 (20000 slots queued, 2^20
// slots).
var (
	near4 = [][places][2]uint8{
		{{0, 1}, {2, 3}},
		{{0, 2}, {1, 3}},
		{{0, 3}, {1, 2}},
	}
	near8 = [][places][2]uint8{
		{{0, 1}, {2, 3}, {4, 6}, {5, 7}},
		{{0, 1}, {2, 4}, {3, 6}, {5, 7}},
		{{0, 1}, {2, 5}, {3, 4}, {6, 7}},
		{{0, 2}, {1, 3}, {4, 7}, {5, 6}},
		{{0, 2}, {1, 4}, {3, 5}, {6, 7}},
		{{0, 3}, {1, 2}, {4, 5}, {6, 7}},
		{{0, 4}, {1, 2}, {3, 7}, {5, 6}},
		{{0, 4}, {1, 5}, {2, 6}, {3, 7}},
	}
	pairing4, pairing8 = newPairing(4, near4), newPairing(8, near8)
)

// windowLanes is how many lanes a pair and those between it are at most.
const windowLanes = 5

// newPairing returns the pairing of so many lanes. The marks are the matchings of the list, each with all turns in
// turn, each as often as another or once more.
func newPairing(lanes int, list [][places][2]uint8) *Pairing {
	p, turns := new(Pairing), lanes/2
	for m := range Marks {
		number := m * len(list) * turns / Marks
		matching, turn := &list[number/turns], number%turns
		p.matchings[m] = uint8(number/turns<<PlaceBits | turn)
		for place := range places {
			pair, across := matching[place%turns], matching[(place^turn)%turns]
			p.Lanes[m<<PlaceBits|place], p.Across[m<<PlaceBits|place] = pair, uint8(m<<PlaceBits|place^turn)
			for side, lane := range pair {
				p.Moves[m*8+int(lane)] = newMove(pair[1-side], across[0], across[1], lanes)
				p.Place[m][lane] = uint8(place % turns)
			}
		}
	}
	return p
}

// PairingOf returns the pairing of buckets of 4 or 8 lanes.
func PairingOf(lanes uint) *Pairing {
	if lanes == 8 {
		return pairing8
	}
	return pairing4
}

// Windows say where the lanes of pairs are, by the number of a pair. A home is a bucket and a pair; a value has two,
// and their windows are found by the number of the first pair.
type Windows struct {
	// Window is the arithmetic of the lanes of a window: 5 up to a width of 12, and else 4. The fifth is of the next
	// bucket where a bucket has 4.
	Window Lanes
	// Blocked has the lowest bits of all lanes of Window but the two, of the first and the second home. A word with
	// them set has no zero lane but in the pair, and flags none that is not zero: the subtraction of [Lanes.Zero]
	// borrows from no lane that is blocked.
	Blocked [2][Pairs]uint64
	// Byte and Shift are where the window begins in a bucket of 8, which is whole bytes. One word holds all of a bucket
	// of 4.
	Byte  [2][Pairs]uint64
	Shift [2][Pairs]uint8
	// Vector has the same for package simd, in two tables of 32 words of 16 bits: by mark, the number of the matching
	// and, in the lowest two bits, the turn; and by matching and place, the first bit of the lower lane of a pair in
	// the bucket and, in the higher byte, the bits from it to the other lane.
	Vector [16]uint64
}

// pairUp makes a plain table one of the layout Paired.
func (t *Table) pairUp() {
	t.pairing = PairingOf(t.lanes)
	windows := t.lanes == 4 && t.Layout == Word || t.lanes == 8 && windowLanes*t.Width() <= 60
	t.Layout, t.WholeBytes = Paired, 0 // what is for plain buckets must not be taken for these
	if windows {
		t.Layout = Windowed
		t.setWindows()
	}
}

// setWindows sets the windows. In a bucket of 8, the bits from the byte in which the lower lane of a pair begins to the
// end of the fifth lane are a word at most, up to a width of 12.
func (t *Table) setWindows() {
	t.Windows = &Windows{Window: NewLanes(t.Width(), windowLanes-t.Width()/13)}
	for mark, matching := range t.pairing.matchings {
		t.Windows.Vector[mark/4] |= uint64(matching) << (mark % 4 * 16)
		for place := range uint64(places) {
			low, high := t.PairLanes(uint64(mark)<<PlaceBits | place)
			at := uint(matching)&^(places-1) | uint(place)
			t.Windows.Vector[8+at/4] &^= (1<<16 - 1) << (at % 4 * 16)
			t.Windows.Vector[8+at/4] |= uint64(low*t.Width()|(high-low)*t.Width()<<8) << (at % 4 * 16)
		}
	}
	for k := range t.pairing.Lanes {
		for home, number := range [2]int{k, int(t.pairing.Across[k])} {
			low, high := t.PairLanes(uint64(number))
			if t.lanes == 8 {
				start := low * t.Width()
				t.Windows.Byte[home][k], t.Windows.Shift[home][k] = uint64(start>>3), uint8(start&7)
				low, high = 0, high-low
			}
			t.Windows.Blocked[home][k] = t.Windows.Window.Low &^ (1<<(low*t.Width()) | 1<<(high*t.Width()))
		}
	}
}

// SlotIn returns the lane of that number, counted through a table with those bytes and lanes of that width, and a mask
// of as many bits, for loops that have them at hand.
func SlotIn(data []byte, width, mask, n uint64) uint64 { return WordAt(data, n*width) & mask }

// WordAt returns the word that begins at a bit. Its highest bits are zeros if that does not begin a byte.
func WordAt(data []byte, bit uint64) uint64 { return memory.Load64(data, bit>>3) >> (bit & 7) }

// PairLanes returns the two lanes of a pair, the lower one first.
func (t *Table) PairLanes(pair uint64) (low, high uint) {
	p := &t.pairing.Lanes[pair%Pairs]
	return uint(p[0]), uint(p[1])
}

// What follows serves tables of any kind: where values are not paired, every pair is all of a bucket, and its number
// means nothing.

// Across returns the number of the pair in the other bucket of a value.
func (t *Table) Across(pair uint64) uint64 {
	if t.pairing == nil {
		return pair
	}
	return uint64(t.pairing.Across[pair%Pairs])
}

// Fixed tells whether a pair is that across: where the two buckets of a value are one, so are its homes then.
func (t *Table) Fixed(pair uint64) bool {
	return t.pairing == nil || t.pairing.Lanes[pair%Pairs] == t.pairing.Lanes[t.Across(pair)%Pairs]
}

// FindIn returns the lower lane of a pair that holds v, or the other one that does.
func (t *Table) FindIn(bucket, pair, v uint64) (lane uint, ok bool) {
	if t.pairing == nil {
		return t.Find(bucket, v)
	}
	low, high := t.PairLanes(pair)
	if t.Get(bucket, low) == v {
		return low, true
	}
	return high, t.Get(bucket, high) == v
}

// ReplaceIn writes v in place of the lower lane of a pair that holds old, and tells whether there is one.
func (t *Table) ReplaceIn(bucket, pair, old, v uint64) bool {
	if t.pairing == nil {
		return t.Replace(bucket, old, v)
	}
	lane, ok := t.FindIn(bucket, pair, old)
	if ok {
		t.Set(bucket, lane, v)
	}
	return ok
}

// CountIn returns how many lanes of a pair hold v.
func (t *Table) CountIn(bucket, pair, v uint64) (n int) {
	if t.pairing == nil {
		return t.Count(bucket, v)
	}
	low, high := t.PairLanes(pair)
	if t.Get(bucket, low) == v {
		n++
	}
	if t.Get(bucket, high) == v {
		n++
	}
	return n
}
