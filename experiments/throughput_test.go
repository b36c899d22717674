package experiments

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

func TestThroughput_TinyJudgesNoTimes(t *testing.T) {
	for _, f := range tiny(t) {
		if len(f.Data.Experiment.Timed) == 0 || !strings.HasPrefix(f.Data.Experiment.Name, "fig") {
			continue
		}
		for _, v := range f.Verdicts {
			if v.Failed() || v.Machine && v.Status != claims.NotMeasured {
				t.Errorf("%s: %+v", f.Data.Experiment.Name, v)
			}
		}
	}
}
