// Package hashtest has what the statistical tests of hash families share, in the manner of SMHasher: how often a
// bit of a key flips a bit of the digest, how evenly the digests of regular keys fill bins, and keys for both.
package hashtest

const (
	// FalseAlarm is the probability that one test fails although the digests are random. A test divides it among all
	// of its comparisons (Bonferroni).
	FalseAlarm = 1e-9
	// Seed chooses the random keys. They are the same in every run, so a family with fixed digests that passes once
	// passes always.
	Seed = 20260401
)
