package versus

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// Formats returns the formats that Write knows.
func Formats() []string { return append([]string{"md", "csv"}, chart.Formats()...) }

// Write writes the results into a directory, which it makes: CONFORMANCE.md for md, three tables for csv,
// and the chart in its formats. It returns the names of the files. Command is the line that made the
// results, for the page. The error names the unknown format or the file.
func Write(dir string, formats []string, results []Result, command string) ([]string, error) {
	var pictures []string
	for _, f := range formats {
		switch {
		case !slices.Contains(Formats(), f):
			return nil, fmt.Errorf("versus: unknown format %q: want %s", f, strings.Join(Formats(), ", "))
		case f != "md" && f != "csv":
			pictures = append(pictures, f)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	figure := Figure(results)
	files, err := figure.Write(dir, pictures)
	if err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	texts := map[string][]byte{}
	if slices.Contains(formats, "csv") {
		for name, t := range map[string]report.Table{
			"conformance.csv":          OverviewData(results),
			"conformance-findings.csv": FindingsData(results),
			"conformance-filling.csv":  FillingData(results),
		} {
			if texts[name], err = t.CSV(); err != nil {
				return nil, fmt.Errorf("versus: %s: %w", name, err)
			}
		}
	}
	if slices.Contains(formats, "md") {
		texts["CONFORMANCE.md"] = markdown(results, figure, files, command)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, fmt.Errorf("versus: %w", err)
		}
		files = append(files, name)
	}
	slices.Sort(files)
	return files, nil
}

// markdown returns the page.
func markdown(results []Result, figure *chart.Figure, files []string, command string) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("# Conformance: filters of several Go modules under one suite of checks")
	line("Made by this command in `experiments/versus`, with %s on %s; do not edit:", runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	line("    %s", command)
	line("%s", about)
	mdKept(&b, results)
	overview := Overview(results)
	mdTable(&b, overview.Header, overview.Rows)
	for _, picture := range []string{figure.Name + ".svg", figure.Name + ".png"} {
		if slices.Contains(files, picture) {
			line("![%s](%s)", chart.PlainText(figure.Title), picture)
			break
		}
	}
	line("## Lost keys while filling")
	line("Random keys of 16 bytes are offered up to %.2f times the capacity. %s", fillingEnd, figure.Caption)
	mdFilling(&b, results)
	line("## Findings that failed or were noted")
	line("The sentences are the kit's evidence. A check that passed or was skipped is not listed, nor a filter of " +
		"which nothing else is to be said.")
	for i := range results {
		mdFindings(&b, &results[i])
	}
	line("## What this does not show")
	b.WriteString(limits)
	return []byte(strings.TrimSpace(b.String()) + "\n")
}

const about = "Every filter is run by the same kit, `experiments/filtertest`, through an adapter " +
	"of a few lines: those of the rows that this command measures are in `experiments/versus/peers.go`. " +
	"Filters that can be asked for a false-positive rate are asked for 1%. " +
	"Kick choices that take the random generator of the process are made repeatable by `randautoseed=0`.\n\n" +
	"- taken at first refusal: keys that the filter took before it refused one; up to 4 times the capacity are offered.\n" +
	"- lost keys: accepted keys that are not found, after the filter was filled beyond its capacity.\n" +
	"- refused keys found: keys whose insert reported a refusal, and that are found after it and were not before.\n" +
	"- rate: share of absent keys reported as present by a filter that was offered as many keys as its capacity.\n" +
	"- -: does not apply, because the filter refuses nothing or the check did not come to it."

const limits = "- The kit checks the contract that it states. A module whose documentation states another contract is not " +
	"at variance with its own documentation; remarks above say where that is known.\n" +
	"- A filter that refuses keys before its capacity meets refusals in other checks too, reset and determinism among " +
	"them: what they find there is an effect of the refusals.\n" +
	"- A filter that loses keys without a refusal meets the losses in the checks of Delete too, which then fail.\n" +
	"- Speed and memory are not compared here.\n" +
	"- Other versions of the modules may differ.\n"

// mdKept lists the sources of the kept rows, if there are any.
func mdKept(b *strings.Builder, results []Result) {
	var rows [][]string
	for i := range results {
		if s := results[i].Kept; s != nil && !slices.ContainsFunc(rows, func(r []string) bool { return r[0] == s.Module }) {
			rows = append(rows, []string{s.Module, s.Version, s.Commit, s.Committed, s.Measured, s.Go})
		}
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("Rows of the modules below were not measured by this command but are kept in `experiments/versus/kept`: the same kit " +
		"and options, run once on the sources of that commit in a program outside this tree. The command does not measure them " +
		"again.\n\n")
	mdTable(b, []string{"module", "version", "commit", "committed", "measured", "with"}, rows)
}

// mdFilling writes a row for each filter that lost keys: at the capacity and at the end.
func mdFilling(b *strings.Builder, results []Result) {
	var rows [][]string
	for i := range results {
		r := &results[i]
		if r.FillingError != nil {
			rows = append(rows, []string{r.Label(), fmt.Sprint(r.Capacity), r.FillingError.Error(), "", ""})
			continue
		}
		first := slices.IndexFunc(r.Filling, func(p Point) bool { return p.Lost > 0 })
		if first < 0 {
			continue
		}
		at := func(p Point) string {
			return fmt.Sprintf("%d of %d (%s)", p.Lost, p.Accepted, stat.Digits(p.PerThousand(), 3))
		}
		rows = append(rows, []string{
			r.Label(), fmt.Sprint(r.Capacity),
			fmt.Sprintf("%.3f", float64(r.Filling[first].Offered)/float64(r.Capacity)),
			at(r.Filling[fillingSteps-1]), at(r.Filling[len(r.Filling)-1]),
		})
	}
	mdTable(b, []string{"filter", "capacity", "first loss seen at offered / capacity", "lost at the capacity (per 1000)", "lost at the end (per 1000)"}, rows)
}

// mdFindings writes the findings about one filter that a reader should see.
func mdFindings(b *strings.Builder, r *Result) {
	var lines []string
	for _, f := range r.Report.Findings {
		if f.Status == filtertest.Failed || f.Status == filtertest.Noted {
			lines = append(lines, fmt.Sprintf("- %s, %s: %s\n", f.Check, f.Status, f.Evidence))
		}
	}
	if len(lines) == 0 && r.Remark == "" {
		return
	}
	fmt.Fprintf(b, "### %s %s, %s, capacity %d\n\n", r.Module, r.version(), r.Adapter.Name, r.Capacity)
	if r.Remark != "" {
		fmt.Fprintf(b, "Remark: %s.\n\n", r.Remark)
	}
	if len(lines) > 0 {
		b.WriteString(strings.Join(lines, "") + "\n")
	}
}

// mdTable writes a table. Rows have as many cells as the header.
func mdTable(b *strings.Builder, header []string, rows [][]string) {
	escaped := strings.NewReplacer("|", `\|`)
	for i, cells := range append([][]string{header, nil}, rows...) {
		if i == 1 {
			b.WriteString(strings.Repeat("|---", len(header)))
		}
		for _, c := range cells {
			b.WriteString("| " + escaped.Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteByte('\n')
}
