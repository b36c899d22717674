package catalogue

import (
	"reflect"
	"testing"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/memory"
	"github.com/nestfilter/nest/internal/packed"
)

const (
	testSeed  = 7
	testSlots = 10 // 2^10 slots
)

// allKinds are the filters of Table 3 and the counting Bloom filter.
func allKinds() []Entry { return append(Table3(), mustFind("CBF")) }

func mustFind(name string) Entry {
	e, ok := Find(name)
	if !ok {
		panic(name)
	}
	return e
}

// filled returns a filled filter, its tracer, the number of its items, and the stream behind them.
func filled(t *testing.T, k Entry) (f *measure.Loops, tr tracer, items int, absent measure.Stream) {
	t.Helper()
	turn, tr, err := k.traced(t.Context(), testSlots, testSeed)
	if err != nil {
		t.Fatalf("seed %d, %s: %v", testSeed, k.Name, err)
	}
	step := uint64(measure.SplitMixStep)
	return turn.Loops, tr, turn.Stored, measure.Stream{Next: testSeed + step<<40}
}

// TestTable3_LoopsAgree runs all loops of each filter: the paper's number of bits, every key found one by one
// and in batches, batches that agree with single lookups of absent keys, and deletion by those that have the verb.
func TestTable3_LoopsAgree(t *testing.T) {
	for _, k := range allKinds() {
		f, _, items, absent := filled(t, k)
		// Padding behind the table, and a block of the blocked filter, are beyond 12 bits a slot.
		if spare := f.SizeBytes() - SlotBits<<testSlots/8; spare < 0 || spare > 64 {
			t.Errorf("%s: %d bytes more than 12 bits for each slot", k.Name, spare)
		}
		keys := make([]uint64, items)
		(&measure.Stream{Next: testSeed}).Fill(keys)
		if one, many := f.Contains(keys), f.Batches(100)(keys); one != items || many != items {
			t.Errorf("%s: %d and, in batches, %d of %d keys are found", k.Name, one, many, items)
		}
		others := make([]uint64, 3*measure.Batch/2)
		absent.Fill(others)
		if one, many := f.Contains(others), f.Batches(100)(others); one != many || one > len(others)/20 {
			t.Errorf("%s: %d and, in batches, %d of %d absent keys are found", k.Name, one, many, len(others))
		}
		_, deletes := f.Filter.(interface{ DeleteHash(h uint64) bool })
		if deletes != (f.Remove != nil) {
			t.Errorf("%s: its type deletes: %t, its loops: %t", k.Name, deletes, f.Remove != nil)
		}
		if deletes {
			// A counter that is saturated keeps its keys: a few more may be found still.
			half := items / 2
			n := f.Remove(keys[:half])
			if f.RemoveBatches != nil {
				n += f.RemoveBatches(100)(keys[half:])
			} else {
				n += f.Remove(keys[half:])
			}
			if n != items || f.Contains(keys) > items/100 {
				t.Errorf("%s: %d of %d deleted, then %d found", k.Name, n, items, f.Contains(keys))
			}
		}
	}
}

// field reads a field of a filter behind a pointer, exported or not.
func field(f any, names ...string) reflect.Value {
	v := reflect.ValueOf(f)
	for _, name := range names {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.FieldByName(name)
	}
	return v
}

// tableOf returns the bytes of a filter's table, as the filter has them.
func tableOf(t *testing.T, k Entry, f *measure.Loops) []byte {
	t.Helper()
	switch k.Name {
	case "CF", "ss-CF":
		return field(f.Filter, "engine", "Table", "data").Bytes()
	case "dl-CBF":
		return field(f.Filter, "remainders", "data").Bytes()
	}
	words := field(f.Filter, "t", "Words")
	data := make([]byte, 8*words.Len())
	for i := range words.Len() {
		memory.Store64(data, uint64(8*i), words.Index(i).Uint())
	}
	return data
}

// lanesEqual tells whether one of the four lowest lanes of a word is v.
func lanesEqual(word, v uint64, width uint) bool {
	lanes := packed.NewLanes(width, 4)
	return lanes.Equal(word, v) != 0
}

// sortedHas tells whether a semi-sorted bucket of four lanes of 13 bits holds v: 12 bits are the number of the
// rising tuple of the lanes' highest 4 bits, counted with the last one slowest, the rest four times 9 bits.
func sortedHas(word, v uint64) bool {
	index := word & 0xfff
	for d := range uint64(16) {
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					if index == 0 {
						rests := word >> 12
						for i, prefix := range []uint64{a, b, c, d} {
							if prefix<<9|rests>>(9*i)&0x1ff == v {
								return true
							}
						}
						return false
					}
					index--
				}
			}
		}
	}
	return false
}

// blockHas tells whether the nine bits of a digest are set in a block of 64 bytes.
func blockHas(block []byte, h uint64) bool {
	x := bloomcore.BlockState(h)
	for i := range BloomHashes {
		if i == bloomcore.BlockFields {
			x = bloomcore.Next(bloomcore.BlockState(h))
		}
		if bit := x >> (64 - bloomcore.BlockField); block[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
		x <<= bloomcore.BlockField
	}
	return true
}

// answerAt answers a lookup from nothing but the bytes of the table that the tracer names.
func answerAt(k Entry, table []byte, cells, h uint64, reads [][2]int) bool {
	_, remainder := dleftClass(h, 1<<testSlots/16, 1<<dleftRemainder-1)
	yes := k.Name == "BF" || k.Name == "CBF"
	x := h
	for _, r := range reads {
		switch k.Name {
		case "CF":
			yes = yes || lanesEqual(memory.Load64(table, uint64(r[0])), fingerprint.Of(h, SlotBits), SlotBits)
		case "ss-CF":
			yes = yes || sortedHas(memory.Load64(table, uint64(r[0])), fingerprint.Of(h, SlotBits+1))
		case "dl-CBF":
			yes = yes || lanesEqual(memory.Load64(table, uint64(r[0])), remainder, dleftRemainder)
		case "blk-BF":
			yes = blockHas(table[r[0]:r[0]+r[1]], h)
		default:
			width := 8 * uint64(len(table)) / cells
			bit := bloomcore.Reduce(x, cells) * width
			yes = yes && memory.Load64(table, uint64(r[0]))>>(bit%64)&(1<<width-1) != 0
			x = bloomcore.Next(x)
		}
	}
	return yes
}

// TestTracer_ReadsAnswer answers lookups from the bytes of the real table at the places that the tracer names:
// that is what the filter says, of keys and of absent keys. A Bloom filter's reads end with its first zero.
func TestTracer_ReadsAnswer(t *testing.T) {
	cells := map[string]uint64{"BF": SlotBits << testSlots, "CBF": SlotBits << testSlots / countingCells}
	for _, k := range allKinds() {
		f, tr, items, absent := filled(t, k)
		if k.Name == "QF" {
			continue // Reads works on the filter's own table: see package quotient
		}
		table := tableOf(t, k, f)
		keys := make([]uint64, 2*items)
		(&measure.Stream{Next: testSeed}).Fill(keys[:items])
		absent.Fill(keys[items:])
		for i, key := range keys {
			var reads [][2]int
			h := hashing.Mix64(key)
			said := tr.reads(h, func(offset, size int) { reads = append(reads, [2]int{offset, size}) })
			real := f.Contains(keys[i:i+1]) == 1
			if got := answerAt(k, table, cells[k.Name], h, reads); got != real || tr.answers && said != real {
				t.Fatalf("seed %d, %s, key %#x: the bytes at %v say %t, the tracer %t, the filter %t", testSeed,
					k.Name, key, reads, got, said, real)
			}
			if tr.answers && !real && !answerAt(k, table, cells[k.Name], h, reads[:len(reads)-1]) {
				t.Fatalf("seed %d, %s, key %#x: %v goes on behind a zero", testSeed, k.Name, key, reads)
			}
		}
	}
}

func TestTouchCount_DistinctLines(t *testing.T) {
	var c touchCount
	c.visit(0, 8)
	c.visit(56, 8)   // the same line
	c.visit(57, 8)   // crosses into the second
	c.visit(640, 64) // a whole one
	c.seen = nil     // another lookup
	c.visit(0, 8)
	if c.references != 5 || c.lines != 4 {
		t.Errorf("%+v, want 5 references, 4 lines", c)
	}
}

// TestTable3_DisagreeingTracerFails holds the check of every trial: a tracer that forgot a key is found out.
func TestTable3_DisagreeingTracerFails(t *testing.T) {
	bf := mustFind("BF")
	f, _, items, _ := filled(t, bf)
	if _, err := bf.trace(1<<testSlots, f).touches(f, measure.Stream{Next: testSeed}, items); err == nil {
		t.Error("a tracer without the keys passes")
	}
}
