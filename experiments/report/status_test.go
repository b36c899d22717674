package report

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

// undecidedSample is the sample with a verdict of each status, of which two are undecided.
func undecidedSample() *Report {
	r := sample()
	for _, source := range []string{"figure 5", ""} {
		r.Sections[0].Verdicts = append(r.Sections[0].Verdicts,
			verdict(claims.Verdict{Ours: "1.02", Interval: "1.00 to 1.62", Tolerance: "1.25", Status: claims.Undecided,
				Why: "It reaches over an end."}, "flat", "1.00", source, true))
	}
	return r
}

// An undecided verdict is one that was measured, on every page and in every table.
func TestStatus_UndecidedIsMeasured(t *testing.T) {
	dir := writtenOf(t, undecidedSample())
	const tally, legend = "Of 4 claims of the paper: 1 holds, 1 differs, 1 undecided, 1 not measured. Of 2 checks of our own: 1 undecided, 1 not measured. ", "It is undecided if"
	html := read(t, dir, "report.html")
	const line = "2 claims about times undecided: the machine was too busy, or the run too short, to tell."
	comeInOrder(t, html, tally, legend, `class="status undecided">1 undecided`, line)
	if strings.Contains(html, "It reaches over an end.") || strings.Count(html, "--undecided: ") != 2 {
		t.Error("report.html: what is undecided for times is spelled out, or undecided has no color in light or dark")
	}
	comeInOrder(t, read(t, dir, "report.md"), tally, legend, "1 of 3 hold; 1 differs, 1 undecided", line)
	comeInOrder(t, read(t, dir, "verdicts.csv"), "fig3,flat-id,paper,flat,figure 5,As the paper says: flat,1.00,1.02,1.00 to 1.62,1.25,undecided,the seed and the machine,It reaches over an end.",
		"fig3,flat-id,own,flat,,,1.00,")
	comeInOrder(t, read(t, dir, "verdicts.tex"), "1 undecided", "Not listed: 2 claims about times undecided")
	if strings.Contains(read(t, written(t), "report.md"), legend) {
		t.Error("the legend explains what no verdict is")
	}
}
