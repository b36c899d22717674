//go:build !amd64 || purego || race

package simd

import "testing"

// eachSet runs no test: there are no kernels.
func eachSet(t *testing.T, _ func(t *testing.T)) { t.Skip("no kernel here") }
