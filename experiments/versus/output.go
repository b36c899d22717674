package versus

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
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
		if texts["CONFORMANCE.md"], err = markdown(results, figure, files, command); err != nil {
			return nil, fmt.Errorf("versus: %w", err)
		}
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

// pageText is the template of the page.
//
//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"cell":    strings.NewReplacer("|", `\|`).Replace,
	"version": func(r Result) string { return r.version() },
	// shown are the findings that a reader should see.
	"shown": func(r Result) []filtertest.Finding {
		return slices.DeleteFunc(slices.Clone(r.Report.Findings), func(f filtertest.Finding) bool {
			return f.Status != filtertest.Failed && f.Status != filtertest.Noted
		})
	},
}).Parse(pageText))

// markdown returns the page.
func markdown(results []Result, figure *chart.Figure, files []string, command string) ([]byte, error) {
	picture := ""
	for _, format := range []string{".png", ".svg"} {
		if slices.Contains(files, figure.Name+format) {
			picture = figure.Name + format
		}
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{
		"Go": runtime.Version() + " on " + runtime.GOOS + "/" + runtime.GOARCH, "Command": command, "Results": results,
		"Kept": keptTable(results), "Overview": Overview(results), "Filling": fillingTable(results),
		"Picture": picture, "Title": chart.PlainText(figure.Title), "Caption": figure.Caption, "End": fillingEnd,
	})
	return b.Bytes(), err
}

// keptTable lists the sources of the kept rows; it is nil if there are none.
func keptTable(results []Result) *tabular.Table {
	var t *tabular.Table
	for _, r := range results {
		if r.Kept == nil {
			continue
		}
		if t == nil {
			t = &tabular.Table{Header: []string{"module", "version", "commit", "committed", "measured", "with"}}
		}
		if s := r.Kept; !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[0] == s.Module }) {
			t.Rows = append(t.Rows, []string{s.Module, s.Version, s.Commit, s.Committed, s.Measured, s.Go})
		}
	}
	return t
}

// fillingTable has a row for each filter that lost keys: at the capacity and at the end.
func fillingTable(results []Result) *tabular.Table {
	t := &tabular.Table{Header: []string{"filter", "capacity", "first loss seen at offered / capacity", "lost at the capacity (per 1000)", "lost at the end (per 1000)"}}
	at := func(p Point) string {
		return fmt.Sprintf("%d of %d (%s)", p.Lost, p.Accepted, stat.Digits(p.PerThousand(), 3))
	}
	for _, r := range results {
		row := []string{r.Label(), fmt.Sprint(r.Capacity)}
		if r.FillingError != nil {
			t.Rows = append(t.Rows, append(row, r.FillingError.Error(), "", ""))
		} else if first := slices.IndexFunc(r.Filling, func(p Point) bool { return p.Lost > 0 }); first >= 0 {
			t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.3f", float64(r.Filling[first].Offered)/float64(r.Capacity)),
				at(r.Filling[fillingSteps-1]), at(r.Filling[len(r.Filling)-1])))
		}
	}
	return t
}
