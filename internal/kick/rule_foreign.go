package kick

// NewForeign returns a scheme from elsewhere over m buckets: its arithmetic is a function, and no kernel knows it.
// alternate must be an involution on 0..m-1 for every fingerprint.
func NewForeign(m uint64, alternate func(bucket, fp uint64) uint64) Scheme {
	return Scheme{Buckets: m, call: alternate}
}
