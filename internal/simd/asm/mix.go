package main

// mix writes the kernel that makes digests of integers.
func mix() {
	p := begin("mix", "func(p *uint64, keys *uint64, dst *uint64, n int)",
		"makes digests of n integers, a positive multiple of 8")
	increment, factor1, factor2 := field(p, 0), factorOf(field(p, 1)), factorOf(field(p, 2))
	dst := pointer("dst")
	each("keys", func(half int, k vector) {
		k = product64(shiftedXor(add(increment, k), 30), factor1)
		k = product64(shiftedXor(k, 27), factor2)
		store(shiftedXor(k, 31), dst, half)
	}, func() { advance(dst, 64) })
}

// shiftedXor returns v ^ v>>by.
func shiftedXor(v vector, by uint8) vector { return xor(v, right(v, by)) }
