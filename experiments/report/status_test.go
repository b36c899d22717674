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
		r.Sections[0].Verdicts = append(r.Sections[0].Verdicts, verdict(claims.Verdict{Ours: "1.02", Interval: "1.00 to 1.62", Tolerance: "1.25", Status: claims.Undecided,
			Why: "It reaches over an end."}, "flat", "1.00", source, true))
	}
	return r
}

// An undecided verdict is one that was measured, on every page and in every table.
func TestStatus_UndecidedIsMeasured(t *testing.T) {
	dir := writtenOf(t, undecidedSample())
	const tally, legend = "Of 4 claims of the paper: 1 holds, 1 differs, 1 undecided, 1 not measured. Of 2 checks of our own: 1 undecided, 1 not measured. ", "It is undecided if"
	html := read(t, dir, "report.html")
	inOrder(t, html, tally, legend, "Claims of the paper: 1 differs</h3>", "<summary>Claims of the paper: 1 undecided", `class="status undecided">undecided</td>`, "It reaches over an end.", "Ours depends on the seed and the machine.",
		"Checks of our own: 1 undecided", `class="status undecided">undecided</td>`, "Not measured in this profile: 1 claim of the paper, 1 check of our own.")
	if strings.Contains(html, "undecided in this profile") || strings.Count(html, "--undecided: ") != 2 {
		t.Error("report.html: undecided is said to be of the profile, or has no color in light or dark")
	}
	inOrder(t, read(t, dir, "report.md"), tally, legend, "| flat | figure 5 | As the paper says: flat | 1.00 | 1.02 | 1.00 to 1.62 | 1.25 | undecided | It reaches over an end. | the seed and the machine |")
	inOrder(t, read(t, dir, "verdicts.csv"), "fig3,flat-id,paper,flat,figure 5,As the paper says: flat,1.00,1.02,1.00 to 1.62,1.25,undecided,the seed and the machine,It reaches over an end.",
		"fig3,flat-id,own,flat,,,1.00,")
	inOrder(t, read(t, dir, "verdicts.tex"), "undecided", "undecided")
	if strings.Contains(read(t, written(t), "report.md"), legend) {
		t.Error("the legend explains what no verdict is")
	}
}
