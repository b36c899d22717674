//go:build race || invariants

package invariants

// Enabled is true under -race and under the build tag invariants.
const Enabled = true
