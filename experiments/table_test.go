package experiments

import (
	"slices"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

// TestTables_TinyFailsNothing runs the smallest profile: what it is too small for is not judged.
func TestTables_TinyFailsNothing(t *testing.T) {
	for _, name := range []string{"table1", "table2", "table3"} {
		f := tinyOf(t, name)
		if failed := slices.IndexFunc(f.Verdicts, claims.Verdict.Failed); failed >= 0 || len(f.Shown.Rows) != len(f.Data.Groups) {
			t.Errorf("%s: verdicts %v failed, %d rows shown of %d", name, failed, len(f.Shown.Rows), len(f.Data.Groups))
		}
	}
}
