package causes

import "math"

// A DLeft is the setting of a d-left counting Bloom filter (Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, ESA 2006): a key goes to
// the least loaded of one bucket in each table, the leftmost of equals, and leaves a remainder and a counter in a cell.
type DLeft struct {
	Tables    int // d
	Cells     int // of a bucket
	Remainder int // bits
	Counter   int // bits
}

// buckets returns the number of buckets of a table, for a filter of so many bits.
func (d DLeft) buckets(size int) int {
	return size / (d.Tables * d.Cells * (d.Remainder + d.Counter))
}

// Rate returns the false-positive rate of a filter of size bits that holds so many keys: each of them is in one bucket of its table, and
// a query is taken for it if its bucket there and its remainder are the same. How keys are distributed over tables does not
// matter. Remainders are 2^Remainder values, all equally likely.
func (d DLeft) Rate(size, keys int) float64 {
	return -math.Expm1(-float64(keys) / (float64(d.buckets(size)) * math.Exp2(float64(d.Remainder))))
}

// Fill inserts random keys of different remainders into a filter of size bits until one finds all its buckets full, and
// returns the load then. Equal seeds give equal results.
func (d DLeft) Fill(size int, seed uint64) (load float64) {
	buckets := d.buckets(size)
	used := make([]uint8, d.Tables*buckets)
	source := numbers{seed}
	for stored := 0; ; stored++ {
		best := -1
		for t := range d.Tables {
			at := t*buckets + source.below(buckets)
			if best < 0 || used[at] < used[best] {
				best = at
			}
		}
		if int(used[best]) == d.Cells {
			return float64(stored) / float64(len(used)*d.Cells)
		}
		used[best]++
	}
}

// DLeftSettings returns the settings of 2 to 8 tables and 1 to 16 cells a bucket whose cells have so many bits: each
// division into remainder and counter, no counter included.
func DLeftSettings(bits int) []DLeft {
	var out []DLeft
	for tables := 2; tables <= 8; tables++ {
		for cells := 1; cells <= 16; cells++ {
			for counter := range min(bits, 5) { // counters of more than 4 bits count what never occurs
				out = append(out, DLeft{tables, cells, bits - counter, counter})
			}
		}
	}
	return out
}
