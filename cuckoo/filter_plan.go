package cuckoo

// Plan returns the configuration that [New] would make of c, and the size of the table in bytes. It needs FingerprintBits or a
// FalsePositiveRate, as a Filter[fingerprint.Any] does. Every default is filled in; Buckets and FingerprintBits replace Capacity
// and FalsePositiveRate. Plan allocates no table, so it also answers for tables that do not fit into memory: set MaxBytes to
// plan tables beyond its default. [Config.PredictRate] then tells the rate.
//
// The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) {
	if c, err = c.resolve(0); err != nil {
		return Config{}, 0, err
	}
	sizeBytes, _ = c.size(uint64(c.Buckets)) // resolve checked it
	return c, sizeBytes, nil
}

// PlanConcurrent is [Plan] for [NewConcurrent].
func PlanConcurrent(c Config) (resolved Config, sizeBytes int, err error) {
	if c, err = c.resolveConcurrent(0); err != nil {
		return Config{}, 0, err
	}
	return c, 8 * c.Buckets, nil
}

// Config returns the configuration with every default filled in, and Buckets and FingerprintBits in place of Capacity and
// FalsePositiveRate: New of it makes an empty filter with the same table, and NewConcurrent that of a [Concurrent].
func (f *fixed) Config() Config { return f.config }
