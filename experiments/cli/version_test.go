package cli

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

func TestVersion_SaysWhatTheBuildKnows(t *testing.T) {
	built := "go        " + runtime.Version() + "\nplatform  " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	for _, c := range []struct {
		m    report.Module
		want string
	}{
		{report.Module{Path: "m", Version: "v1.2.3"}, "module    m\nversion   v1.2.3\n" + built},
		{report.Module{Path: "m", Version: "v1.2.4-0.2026", Revision: "b30f08b", Modified: true, Program: "abc"},
			"module    m\nversion   v1.2.4-0.2026\nrevision  b30f08b, modified\nprogram   abc\n" + built},
	} {
		if got := versionText(c.m); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.m, got, c.want)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := mainOf([]string{"--version"}, &stdout, &stderr); status != exitOK || stdout.String() != versionText(report.ThisModule()) {
		t.Errorf("status %d, %s, output\n%s", status, &stderr, &stdout)
	}
}
