// Package bloomcore is what the Bloom filters and the counting Bloom filters share: how a digest
// becomes positions, how often positions collide, and how large a table must be.
//
// Terms: a table has m cells (bits, or counters); each key has k positions, one cell each; n keys
// were inserted; a key is reported present when all its cells are nonzero.
//
// # Positions
//
// Kirsch and Mitzenmacher ("Less hashing, same performance", ESA 2006) make k positions from two numbers, a+i*b mod m.
// That leaves m^2 cases, so a new key shares every position of an old one with probability about 2n/m^2 on top of the
// rate that the fill explains; enhanced double hashing (Dillinger and Manolios, "Bloom filters in probabilistic
// verification", FMCAD 2004) removes the degenerate steps, not the m^2. At m = 130, n = 6, k = 15 that adds .0007 where
// the fill explains .00004. So positions here come from a walk over the whole 64-bit state: rotate, multiply, and take
// the high part of the product with m. Two digests share all positions only where the positions themselves fall
// together, and the step is a bijection, so nothing of the digest is lost. RocksDB's FastLocalBloom walks a 32-bit
// state by multiplication alone; the rotation brings the good high bits of a product back down, for 64-bit tables and
// many positions.
package bloomcore
