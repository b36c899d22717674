// Package limits is what every configuration checks alike: how much memory a table may take, which
// fields are wrong, and in which field two configurations differ.
//
// An error reads "bloom: invalid configuration: Bits is -1, want at least 0": the package, the kind of
// error, the field and its value.
package limits
