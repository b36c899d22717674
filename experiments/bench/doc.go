// Package bench measures the filters from where users stand: outside the packages that define
// them, so that what the compiler does across package borders is part of the measurement.
//
// It has benchmarks, and tests that hold what the machine code of a consumer may not contain.
package bench
