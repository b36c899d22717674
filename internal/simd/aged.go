package simd

// AgedProbe says what a kernel has to know of a table whose lanes have an age above a fingerprint, and of a scheme by
// the rule Additive. Its first fields are those of [Probe]; Scale is that of the fingerprints.
type AgedProbe struct {
	Buckets, BucketBits, Scale uint64
	Low, High, Spread, Last    uint64
	// Fingerprints are the bits of every fingerprint, Rest all bits of the lanes but the highest, and Dead has in every
	// lane the age of those that count as empty.
	Fingerprints, Rest, Dead uint64
}

// ContainsAged is [Contains] of such a table.
func ContainsAged(p *AgedProbe, data []byte, hs []uint64, dst []bool) (answered int) {
	return ask(&agedKernel, &p.Buckets, data, hs, dst)
}
