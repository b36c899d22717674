package report

// Sample is sample, for tests outside of the package.
var Sample = sample

// Compile is compile.
var Compile = compile
