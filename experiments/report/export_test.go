package report

// Sample is sample, for tests outside of the package.
var Sample = sample
