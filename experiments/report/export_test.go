package report

import "testing"

// Sample is sample, for tests outside of the package.
var Sample = sample

// Compile is compile.
var Compile = compile

// Must is must.
func Must[T any](v T, err error) func(t testing.TB) T { return must(v, err) }
