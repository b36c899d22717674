//go:build !race && !invariants

package invariants

// Enabled is false in ordinary builds, so that the compiler removes the checks behind it.
const Enabled = false
