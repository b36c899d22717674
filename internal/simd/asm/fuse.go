package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// fuse writes a kernel for binary fuse filters, whose keys have three slots, or four.
func fuse(name, slots string, four bool) {
	p := beginTable(name, "dst *bool", "answers n digests, a positive multiple of 8, of "+slots+" slots each")
	k := &kernel{scratch: memory()}
	get := func(at int) vector { return field(p, at) } // AVX2 has no registers for all of them
	if wide {
		var fields [10]vector
		for at := range fields {
			fields[at] = field(p, at)
		}
		get = func(at int) vector { return fields[at] }
	}
	answer(func(data reg.Register, h vector) finding {
		x := shiftedXor(add(get(0), h), 33)
		x = shiftedXor(product64(x, factorOf(get(5))), 33)
		x = shiftedXor(product64(x, factorOf(get(6))), 33)
		at := upper(above32(x, get(1)))
		sum := xor(shiftedXor(x, 32), k.slot(data, at, get))
		within := []vector{right(x, 18), x}
		if four {
			within = append(within, right(product64(x, factorOf(get(7))), 46))
		}
		for _, w := range within {
			at = add(get(2), at)
			sum = xor(sum, k.slot(data, xor(at, and(get(3), w)), get))
		}
		return none(get(8), sum)
	})
}

// slot loads the words that begin with fingerprints.
func (k *kernel) slot(data reg.Register, at vector, get func(int) vector) vector {
	bit, offset := multiply(get(4), at), get(9)
	shift := and(offset, bit)
	return shiftRight(k.gather(data, right(andNot(bit, offset), 3)), shift)
}

// none is a finding in the lanes where none of the bits is set.
func none(bits, v vector) finding {
	if wide {
		mask := K()
		VPTESTNMQ(bits, v, mask)
		return finding{mask: mask}
	}
	return finding{absent: zero(zero(and(bits, v)))}
}
