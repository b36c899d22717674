package kick

// NewForeign returns a scheme from elsewhere over m buckets: its arithmetic is a function, and no kernel knows it.
// alternate must be an involution on 0..m-1 for every lane.
func NewForeign(m uint64, alternate func(bucket, lane uint64) uint64) Scheme {
	return Scheme{Buckets: m, call: alternate}
}

// NewSides returns the scheme of a table of two sides of 2^log buckets each: the pair of a lane is one bucket of each.
// They differ by the highest bits, log of them, of the lane without its lowest bits times 2^64 over the golden ratio,
// behind the one that is the side.
func NewSides(log, drop uint) Scheme {
	return Scheme{
		Buckets: 2 << log, xor: true, spread: Multiplier, mask: 1<<log - 1, keep: ^uint64(0), top: 1 << log,
		drop: uint8(drop), shift: uint8(64 - log),
	}
}
