package report

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

// undecidedSample is the sample with a verdict of each status, of which two are undecided.
func undecidedSample() *Report {
	r := sample()
	open := claims.Draft{Claim: "flat", Paper: "1.00", Ours: "1.02", Interval: "1.00 to 1.62", Tolerance: "1.25", Status: claims.Undecided, Why: "It reaches over an end."}.Verdict()
	r.Sections[0].Verdicts = append(r.Sections[0].Verdicts, open, open)
	return r
}

// An undecided verdict is one that was measured, on every page and in every table.
func TestStatus_UndecidedIsMeasured(t *testing.T) {
	dir := writtenOf(t, undecidedSample())
	const tally, legend = "1 holds, 1 differs, 2 undecided, 2 not measured.", "Undecided: what was measured is evidence neither for"
	html := read(t, dir, "report.html")
	inOrder(t, html, tally+" "+legend, `class="status undecided">undecided</td>`, "Figure 3</a>: 1 holds, 1 differs, 2 undecided, 1 not measured", "It reaches over an end.", "Ours depends on the seed and the machine.")
	if strings.Contains(html, "undecided in this profile") || strings.Count(html, "--undecided: ") != 2 {
		t.Error("report.html: undecided is said to be of the profile, or has no color in light or dark")
	}
	inOrder(t, read(t, dir, "report.md"), tally+" "+legend, "| flat | 1.00 | 1.02 | 1.00 to 1.62 | 1.25 | undecided |", "undecided | It reaches over an end. | the seed and the machine |")
	inOrder(t, read(t, dir, "verdicts.csv"), "flat,1.00,1.02,1.00 to 1.62,1.25,undecided,the seed and the machine,It reaches over an end.")
	inOrder(t, read(t, dir, "verdicts.tex"), "undecided")
	if strings.Contains(read(t, written(t), "report.md"), "Undecided:") {
		t.Error("the legend explains what no verdict is")
	}
}
