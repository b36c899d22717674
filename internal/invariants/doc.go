// Package invariants says whether internal consistency checks run. They are on under -race and
// under the build tag invariants, and cost nothing otherwise:
//
//	if invariants.Enabled {
//		t.check(bucket)
//	}
package invariants
