package counting

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/packed"
)

// buckets returns the number of buckets of a table that Slots asks for.
func (c DLeftConfig) buckets() uint64 { return (uint64(c.Slots) + dleftSlots - 1) / dleftSlots }

// remainderBits returns the width that keeps the rate where Capacity keys are in m buckets, as if
// none of them shared a true fingerprint: they then use the share Capacity/(m*(2^bits-1)) of all.
func (c DLeftConfig) remainderBits(m uint64) int {
	bits := MinRemainderBits
	for bits <= 64 && float64(c.Capacity)/float64(m)/(math.Ldexp(1, bits)-1) > c.FalsePositiveRate {
		bits++
	}
	return bits
}

// PlanDLeft returns what [NewDLeft] would make of c, without making it: [DLeft.Config] and
// [DLeft.SizeBytes] of that filter. It takes less than a microsecond. The errors are those of NewDLeft.
func PlanDLeft(c DLeftConfig) (resolved DLeftConfig, sizeBytes int, err error) {
	if err := c.Validate(); err != nil {
		return c, 0, err
	}
	if c.CounterBits == 0 {
		c.CounterBits = defaultDLeftCounterBits
	}
	limit := config.MaxBytes(c.MaxBytes)
	m := c.buckets()
	if c.Capacity > 0 {
		if uint64(c.Capacity) > dleftMaxKeys {
			return c, 0, config.Package(pkg).Errorf(ErrTooLarge, "Capacity is %d, want at most %d",
				c.Capacity, uint64(dleftMaxKeys))
		}
		m = dleftBuckets(uint64(c.Capacity))
	}
	if c.RemainderBits == 0 {
		c.RemainderBits = c.remainderBits(m)
	}
	remainders, ok1 := packed.Size(uint(c.RemainderBits), dleftBucketSize, dleftTables*m)
	extras, ok2 := packed.Size(uint(c.CounterBits), dleftBucketSize, dleftTables*m)
	// The sum of two ints fits into 64 bits without a sign. Where int has 32 bits, slots of a few
	// bits outgrow it before the bytes do.
	if !ok1 || !ok2 || uint64(remainders)+uint64(extras) > uint64(limit) || m*dleftSlots > math.MaxInt {
		return c, 0, config.Package(pkg).Errorf(ErrTooLarge, "%d slots of %d+%d bits, MaxBytes is %d",
			m*dleftSlots, c.RemainderBits, c.CounterBits, limit)
	}
	digester := hashing.NewDigester(c.Hash)
	c.Capacity, c.Slots, c.FalsePositiveRate, c.Hash = 0, int(m*dleftSlots), 0, digester.Hasher()
	return c, remainders + extras, nil
}

// PredictDLeftRate returns the false-positive rate to expect of a [DLeft] of that many slots, rounded up to a
// multiple of 16, and remainders of that many bits after n distinct keys, all of which found room: the chance
// that one of them has a given true fingerprint, 1-(1-1/c)^n with c = slots/16*(2^remainderBits-1).
// It is 0 where slots, remainderBits or n is below 1.
func PredictDLeftRate(slots, remainderBits, n int) float64 {
	if slots < 1 || remainderBits < 1 || n < 1 {
		return 0
	}
	c := float64(DLeftConfig{Slots: slots}.buckets()) * (math.Ldexp(1, remainderBits) - 1)
	return -math.Expm1(float64(n) * math.Log1p(-1/c))
}
