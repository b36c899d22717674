package lab

import (
	"testing"
)

func TestSettings_SurviveTheManifest(t *testing.T) {
	for _, o := range []Options{{}, {Runs: 10}, {Huge: true}, {Runs: 3, Huge: true}} {
		var back Options
		if err := back.readSettings(o.settings()); err != nil || back.Runs != o.Runs || back.Huge != o.Huge {
			t.Errorf("runs %d, huge %v: read back as %d, %v; %v", o.Runs, o.Huge, back.Runs, back.Huge, err)
		}
	}
	for _, runs := range []string{"", "0", "-1", "many"} {
		if err := new(Options).readSettings(map[string]string{settingRuns: runs}); err == nil {
			t.Errorf("runs %q are taken", runs)
		}
	}
}
