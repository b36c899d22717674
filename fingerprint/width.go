package fingerprint

// MaxWidth is the widest fingerprint, in bits.
const MaxWidth = 32

// Width is the closed set of fingerprint widths: Bits1 to Bits32, and Any. The length of the array type
// is the width in bits; values of these types take no space.
//
// Every array type has a shape of its own, so that code generic over Width is compiled once per width, with the width
// folded to a constant. Code for Any is compiled once for all widths and reads the width at run time.
type Width interface {
	Any | Bits1 | Bits2 | Bits3 | Bits4 | Bits5 | Bits6 | Bits7 | Bits8 |
		Bits9 | Bits10 | Bits11 | Bits12 | Bits13 | Bits14 | Bits15 | Bits16 |
		Bits17 | Bits18 | Bits19 | Bits20 | Bits21 | Bits22 | Bits23 | Bits24 |
		Bits25 | Bits26 | Bits27 | Bits28 | Bits29 | Bits30 | Bits31 | Bits32
}

// The widths: BitsN is a fingerprint of N bits. Which one to take follows from the false-positive rate eps that is
// wanted: with b slots a bucket, f >= log2(1/eps) + log2(2b) (Fan et al. 2014, section 5.1).
type (
	// Any is a width that is known at run time only, 1 to [MaxWidth] bits: what uses it is told the width in
	// another way, such as cuckoo.Config.FingerprintBits.
	Any    [0]struct{}
	Bits1  [1]struct{}
	Bits2  [2]struct{}
	Bits3  [3]struct{}
	Bits4  [4]struct{}
	Bits5  [5]struct{}
	Bits6  [6]struct{}
	Bits7  [7]struct{}
	Bits8  [8]struct{}
	Bits9  [9]struct{}
	Bits10 [10]struct{}
	Bits11 [11]struct{}
	Bits12 [12]struct{}
	Bits13 [13]struct{}
	Bits14 [14]struct{}
	Bits15 [15]struct{}
	Bits16 [16]struct{}
	Bits17 [17]struct{}
	Bits18 [18]struct{}
	Bits19 [19]struct{}
	Bits20 [20]struct{}
	Bits21 [21]struct{}
	Bits22 [22]struct{}
	Bits23 [23]struct{}
	Bits24 [24]struct{}
	Bits25 [25]struct{}
	Bits26 [26]struct{}
	Bits27 [27]struct{}
	Bits28 [28]struct{}
	Bits29 [29]struct{}
	Bits30 [30]struct{}
	Bits31 [31]struct{}
	Bits32 [32]struct{}
)

// WidthOf returns the width of F in bits, and 0 for [Any]. In straight-line code it costs nothing: the
// compiler folds it to a constant.
func WidthOf[F Width]() uint {
	var width F
	return uint(len(width))
}
