package packed

// The portable twin of Lanes takes a word apart lane by lane. It is the definition that the fuzz
// test holds the arithmetic against, and is compiled in every build so that it cannot rot.

// lanePortable returns lane i of x.
func lanePortable(x uint64, i, width uint) uint64 {
	return x >> (i * width) & (1<<width - 1)
}

// flagsPortable flags the lanes of x, of n, that equal v.
func flagsPortable(x, v uint64, n, width uint) uint64 {
	var flags uint64
	for i := range n {
		if lanePortable(x, i, width) == v {
			flags |= 1 << (i*width + width - 1)
		}
	}
	return flags
}
