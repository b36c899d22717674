package simd

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// place returns the fingerprint and the two buckets of a digest by the definitions of Probe, with arithmetic of 128
// bits.
func (p *Probe) place(h uint64) (fp, i, j uint64) {
	fp = (h&(1<<32-1))*p.Scale>>32 + 1
	i, _ = bits.Mul64(h, p.Buckets)
	return fp, i, p.across(i, fp)
}

// across returns the other bucket of a fingerprint.
func (p *Probe) across(i, fp uint64) uint64 {
	if p.Arithmetic == Additive {
		x := fp * p.Spread
		c := (x ^ x>>32) & p.Last
		if p.Last >= p.Buckets {
			c = c * p.Buckets >> 32
		}
		return (c + p.Buckets - i) % p.Buckets
	}
	return i ^ fp*p.Spread>>32&p.Last
}

// sumMask returns one of the masks that sums of m buckets may have.
func sumMask(random *rand.Rand, m uint64) uint64 {
	if random.IntN(2) == 0 {
		return 1<<32 - 1
	}
	return 1<<(bits.Len64(m)-1) - 1
}

// model answers one digest by the definitions of Probe.
func model(p *Probe, data []byte, h uint64) bool {
	fp, i, j := p.place(h)
	product := h * p.Buckets
	word := func(n uint64) uint64 { return p.Paired[n/4] >> (n % 4 * 16) & (1<<16 - 1) }
	has := func(bucket uint64, lanes ...int) bool {
		for _, lane := range lanes {
			bit := bucket*p.BucketBits + uint64(lane)
			if binary.LittleEndian.Uint64(data[bit/8:])>>(bit%8)&p.Scale == fp {
				return true
			}
		}
		return false
	}
	if p.Paired != nil {
		turned := word(uint64(uint32(fp)*0xc2b2ae35) >> 27)
		pair := func(place uint64) (int, int) {
			v := word(32 + (turned&^3 | place))
			return int(v & 255), int(v&255 + v>>8)
		}
		a, b := pair(product >> 62)
		c, d := pair(product>>62 ^ turned&3)
		return has(i, a, b) || has(j, c, d)
	}
	var all []int
	for lane := range bits.OnesCount64(p.Low) {
		all = append(all, lane*bits.OnesCount64(p.Scale))
	}
	return has(i, all...) || has(j, all...)
}

// probe returns a random table of one-word buckets and its description.
func probe(random *rand.Rand) (p Probe, data []byte) {
	width, lanes := uint(1+random.IntN(32)), uint(1+random.IntN(8))
	for width*lanes > 57 && (width*lanes > 64 || width*lanes%8 != 0) {
		width, lanes = uint(1+random.IntN(32)), uint(1+random.IntN(8))
	}
	p = Probe{Buckets: 1 + random.Uint64N(300), Scale: 1<<width - 1, BucketBits: uint64(width * lanes)}
	p.Spread, p.Far = random.Uint64(), random.Uint64N(2)
	for lane := range lanes {
		p.Low |= 1 << (lane * width)
	}
	p.High = p.Low << (width - 1)
	if random.IntN(2) == 0 {
		p.Arithmetic, p.Last = Additive, sumMask(random, p.Buckets)
	} else {
		p.Arithmetic = XOR
		p.Buckets = 1 << random.IntN(10)
		p.Last = p.Buckets - 1
		if random.IntN(3) == 0 { // a part of the buckets is paired with itself
			p.Buckets *= 1 + random.Uint64N(5)
		}
	}
	if (lanes == 4 || lanes == 8) && random.IntN(2) == 0 {
		p.Paired = new([16]uint64)
		for n := range uint(32) {
			low := random.UintN(lanes - 1)
			high := low + 1 + random.UintN(lanes-1-low)
			p.Paired[n/4] |= random.Uint64N(32) << (n % 4 * 16)
			p.Paired[8+n/4] |= uint64(low*width|(high-low)*width<<8) << (n % 4 * 16)
		}
	}
	data = make([]byte, (p.Buckets*p.BucketBits+7)/8+8)
	share := random.IntN(3) // one lane in 4, 2 or 1 is used, more or less
	for k := range data[:len(data)-8] {
		if random.IntN(4>>share) == 0 {
			data[k] = byte(random.Uint32())
		}
	}
	return p, data
}

// TestContains_IsTheModel holds the kernels against the definitions, on every shape that they take.
func TestContains_IsTheModel(t *testing.T) { eachSet(t, containsIsTheModel) }

func containsIsTheModel(t *testing.T) {
	tables := 3000
	if testing.Short() {
		tables = 300
	}
	found, paired := 0, 0
	for seed := range uint64(tables) {
		random := rand.New(rand.NewPCG(seed, 3))
		p, data := probe(random)
		hs := make([]uint64, random.IntN(50))
		for k := range hs {
			hs[k] = random.Uint64()
		}
		dst := make([]bool, len(hs)+1)
		n := Contains(&p, data, hs, dst)
		if n != len(hs)&^(Lanes-1) {
			t.Fatalf("seed %d: %d of %d answered", seed, n, len(hs))
		}
		for k, h := range hs[:n] {
			if want := model(&p, data, h); dst[k] != want {
				t.Fatalf("seed %d: %+v: digest %#x: %v, want %v", seed, p, h, dst[k], want)
			}
			if dst[k] {
				found++
				if p.Paired != nil {
					paired++
				}
			}
		}
		for k, wrote := range dst[n:] {
			if wrote {
				t.Fatalf("seed %d: wrote to dst[%d], beyond the %d answered", seed, n+k, n)
			}
		}
	}
	if found == 0 || paired == 0 {
		t.Errorf("%d digests were found in all tables, %d of them with paired slots", found, paired)
	}
}

// locateModel returns the bit of the table at which the lane begins that has the fingerprint of a digest, if there is
// one.
func locateModel(p *Probe, data []byte, h uint64) (bit int, ok bool) {
	fp, i, j := p.place(h)
	for _, bucket := range []uint64{i, j} {
		for lane := range bits.OnesCount64(p.Low) {
			bit := bucket*p.BucketBits + uint64(lane*bits.OnesCount64(p.Scale))
			if binary.LittleEndian.Uint64(data[bit/8:])>>(bit%8)&p.Scale == fp {
				return int(bit), true
			}
		}
	}
	return 0, false
}

// TestLocate_IsTheModel holds the kernels that find lanes against the definitions, on every shape that they take.
func TestLocate_IsTheModel(t *testing.T) { eachSet(t, locateIsTheModel) }

func locateIsTheModel(t *testing.T) {
	found, absent := 0, 0
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 5))
		p, data := probe(random)
		hs := make([]uint64, random.IntN(50))
		for k := range hs {
			hs[k] = random.Uint64()
		}
		at, lanes := make([]uint64, len(hs)), make([]uint64, len(hs))
		n := Locate(&p, data, hs, at, lanes)
		if want := len(hs) &^ (Lanes - 1); n != want && p.Paired == nil || n != 0 && p.Paired != nil {
			t.Fatalf("seed %d: %d of %d located", seed, n, len(hs))
		}
		for k, h := range hs[:n] {
			bit, ok := locateModel(&p, data, h)
			if !ok && lanes[k] != 0 {
				t.Fatalf("seed %d: %+v: digest %#x: lane %#x of an absent fingerprint", seed, p, h, lanes[k])
			}
			low := bits.TrailingZeros64(lanes[k])
			if ok && (lanes[k]>>low != p.Scale || int(8*at[k])+low != bit) {
				t.Fatalf("seed %d: %+v: digest %#x: lane %#x of the word at byte %d, want that at bit %d",
					seed, p, h, lanes[k], at[k], bit)
			}
			if ok {
				found++
			} else {
				absent++
			}
		}
	}
	if found < 1000 || absent < 1000 {
		t.Errorf("%d found and %d not", found, absent)
	}
}

// prefixModel answers one digest by the definitions of PrefixProbe, for lanes of a width.
func prefixModel(p *PrefixProbe, data []byte, width int, h uint64) bool {
	rem := h & 63
	wanted := rem<<p.Tail | h<<p.Left>>p.Right | 1
	i := h >> 1 >> p.Shift
	j := i ^ (rem*p.Spread>>1|1<<63)>>p.Shift
	has := func(bucket uint64) bool {
		bit := bucket * p.BucketBits
		x := binary.LittleEndian.Uint64(data[bit/8:]) >> (bit % 8)
		for lane := range bits.OnesCount64(p.Low) {
			stored := x >> (lane * width) & (1<<width - 1)
			if end := stored & -stored; stored != 0 && (stored^wanted)&^(end<<1-1) == 0 {
				return true
			}
		}
		return false
	}
	return has(i) || has(j)
}

// TestContainsPrefix_IsTheModel holds the kernel for tables of two sides against the definitions, on every shape that
// it takes, with lanes of which many are prefixes of what is looked for.
func TestContainsPrefix_IsTheModel(t *testing.T) { eachSet(t, containsPrefixIsTheModel) }

func containsPrefixIsTheModel(t *testing.T) {
	found, absent := 0, 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 4))
		width, lanes := 8+random.IntN(9), 4
		if width == 8 {
			lanes = 8
		}
		if width == 15 {
			width = 16 // a load of 8 bytes does not hold 60 bits behind 4, and 4 bits are all there are
		}
		k, tail := 1+random.IntN(9), width-7
		p := PrefixProbe{
			Shift: uint64(63 - k), Left: uint64(k), Right: uint64(63 - tail), Tail: uint64(tail + 1),
			BucketBits: uint64(width * lanes), Spread: random.Uint64() | 1,
		}
		for lane := range lanes {
			p.Low |= 1 << (lane * width)
		}
		p.High = p.Low << (width - 1)
		data := make([]byte, (2<<k*width*lanes+7)/8+8)
		hs, dst := make([]uint64, 64), make([]bool, 65)
		for n := range hs {
			hs[n] = random.Uint64()
			if n%2 == 0 {
				continue
			}
			// A prefix of the lane, in a random slot of one of the buckets.
			lane, end := hs[n]&63<<p.Tail|hs[n]<<p.Left>>p.Right|1, random.IntN(tail+1)
			lane = lane>>end&^1<<end | 1<<end
			bucket := int(hs[n] >> 1 >> p.Shift)
			if n%4 == 1 {
				bucket = int(hs[n]>>1>>p.Shift ^ (hs[n]&63*p.Spread>>1|1<<63)>>p.Shift)
			}
			at := (bucket*lanes + random.IntN(lanes)) * width
			word := binary.LittleEndian.Uint64(data[at/8:])
			word = word&^((1<<width-1)<<(at%8)) | lane<<(at%8)
			binary.LittleEndian.PutUint64(data[at/8:], word)
		}
		if n := ContainsPrefix(&p, data, hs, dst); n != len(hs) || dst[64] {
			t.Fatalf("%d answered", n)
		}
		for n, h := range hs {
			if want := prefixModel(&p, data, width, h); dst[n] != want {
				t.Fatalf("seed %d: %+v: digest %#x: %v, want %v", seed, p, h, dst[n], want)
			} else if want {
				found++
			} else {
				absent++
			}
		}
	}
	if found < 10_000 || absent < 8000 {
		t.Errorf("%d found and %d not", found, absent)
	}
}

// TestContains_OfNoArithmetic: a rule that names no arithmetic is left to the caller's loop.
func TestContains_OfNoArithmetic(t *testing.T) {
	p, data := probe(rand.New(rand.NewPCG(1, 3)))
	p.Arithmetic = None
	if n := Contains(&p, data, make([]uint64, 64), make([]bool, 64)); n != 0 {
		t.Errorf("%d digests were answered", n)
	}
}

// TestPrefetch_TakesAnyOffset asks for lines inside and outside of a table.
func TestPrefetch_TakesAnyOffset(t *testing.T) {
	data := make([]byte, 100)
	Prefetch(data, nil)
	Prefetch(data, []uint64{0, 99, 100, 1 << 20, 1 << 40})
}

// TestMix_IsTheModel holds the kernels that make digests against the definition of Mixer.
func TestMix_IsTheModel(t *testing.T) { eachSet(t, mixIsTheModel) }

func mixIsTheModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 6))
	for n := range 100 {
		m := Mixer{random.Uint64(), random.Uint64(), random.Uint64()}
		keys, dst := make([]uint64, n), make([]uint64, n+1)
		for i := range keys {
			keys[i] = random.Uint64() >> random.UintN(64)
		}
		if mixed := Mix(&m, keys, dst); mixed != n&^(Lanes-1) {
			t.Fatalf("%d of %d mixed", mixed, n)
		}
		for i, k := range append(keys, 0) {
			k += m.Increment
			k = (k ^ k>>30) * m.Factor1
			k = (k ^ k>>27) * m.Factor2
			if k ^= k >> 31; i >= n&^(Lanes-1) {
				k = 0 // not written
			}
			if dst[i] != k {
				t.Fatalf("%d keys, %+v: digest %d is %#x, want %#x", n, m, i, dst[i], k)
			}
		}
	}
}

// TestContainsFuse_IsTheModel holds the kernels of fuse filters against the definitions.
func TestContainsFuse_IsTheModel(t *testing.T) { eachSet(t, containsFuseIsTheModel) }

func containsFuseIsTheModel(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		log, four := random.Uint64N(9), random.IntN(2)
		p := FuseProbe{
			Seed: random.Uint64(), Segment: 1 << log, Inner: 1<<log - 1, Span: (1 + random.Uint64N(9)) << log,
			Width: 1 + seed%32, Factor1: random.Uint64(), Factor2: random.Uint64(), Factor3: random.Uint64(),
			Offset: 7, Far: seed % 2,
		}
		if p.Mask = 1<<p.Width - 1; p.Width&(p.Width-1) == 0 && random.IntN(2) == 0 {
			p.Offset = 63
		}
		data := make([]byte, ((p.Span+3*p.Segment)*p.Width+7)/8+8)
		for k := range data {
			data[k] = byte(random.Uint32())
		}
		hs := make([]uint64, 8*random.IntN(40))
		for k := range hs {
			hs[k] = random.Uint64()
		}
		dst := make([]bool, len(hs))
		if ContainsFuse(&p, four, data, hs, dst) != len(hs) {
			t.Fatal("not all are answered")
		}
		for k, h := range hs {
			x := h + p.Seed
			x = (x ^ x>>33) * p.Factor1
			x = (x ^ x>>33) * p.Factor2
			x ^= x >> 33
			sum := x ^ x>>32
			first, _ := bits.Mul64(x, p.Span)
			for n, within := range []uint64{0, x >> 18, x, x * p.Factor3 >> 46}[:3+four] {
				slot := first + uint64(n)*p.Segment ^ within&p.Inner
				sum ^= binary.LittleEndian.Uint64(data[slot*p.Width/8:]) >> (slot * p.Width % 8)
			}
			if want := sum&p.Mask == 0; dst[k] != want {
				t.Fatalf("seed %d, %+v: digest %#x: %v, want %v", seed, p, h, dst[k], want)
			}
			if dst[k] {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d found", found)
	}
}

// TestContainsAged_IsTheModel holds the kernels for lanes with ages against the definition, on every shape that they
// take.
func TestContainsAged_IsTheModel(t *testing.T) { eachSet(t, containsAgedIsTheModel) }

func containsAgedIsTheModel(t *testing.T) {
	found := 0
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 4))
		width, ages, lanes := uint(1+random.IntN(10)), uint(1+random.IntN(4)), uint(1+random.IntN(4))
		lane := width + ages
		if lane*lanes > 57 {
			continue
		}
		p := AgedProbe{Buckets: 1 + random.Uint64N(300), BucketBits: uint64(lane * lanes), Scale: 1<<width - 1,
			Spread: random.Uint64()}
		p.Last = sumMask(random, p.Buckets)
		for n := range lanes {
			p.Low |= 1 << (n * lane)
		}
		dead := random.Uint64N(1 << ages)
		p.High, p.Dead, p.Fingerprints = p.Low<<(lane-1), p.Low*(dead<<width), p.Low*p.Scale
		p.Rest = p.High - p.Low
		data := make([]byte, (p.Buckets*p.BucketBits+7)/8+8)
		for k := range data[:len(data)-8] {
			data[k] = byte(random.Uint32())
		}
		place := Probe{Buckets: p.Buckets, Scale: p.Scale, Spread: p.Spread, Last: p.Last, Arithmetic: Additive}
		var hs [40]uint64
		var dst [40]bool
		for k := range hs {
			hs[k] = random.Uint64()
		}
		if n := ContainsAged(&p, data, hs[:], dst[:]); n != len(hs) {
			t.Fatalf("%d answered", n)
		}
		for k, h := range hs {
			fp, i, j := place.place(h)
			want := false
			for _, bucket := range []uint64{i, j} {
				for n := range lanes {
					bit := bucket*p.BucketBits + uint64(n*lane)
					x := binary.LittleEndian.Uint64(data[bit/8:]) >> (bit % 8) & (1<<lane - 1)
					want = want || x&p.Scale == fp && x>>width != dead
				}
			}
			if dst[k] != want {
				t.Fatalf("seed %d: %+v: digest %#x: %v, want %v", seed, p, h, dst[k], want)
			}
			if want {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}
