package rivals

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"cell": strings.NewReplacer("|", `\|`).Replace}).Parse(pageText))

// A pageSize is what the page has of one size.
type pageSize struct {
	Keys, Slots, Rounds int
	Picture, Caption    string
	Table               *tabular.Table
}

// WritePage writes the league as LEAGUE.md into a directory, and its charts into the directory images in it. Args are the arguments of the command
// that made it.
func (r *Result) WritePage(dir, args string) error {
	images := filepath.Join(dir, "images")
	if err := os.MkdirAll(images, 0o755); err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	var sizes []pageSize
	for _, n := range r.Sizes() {
		s := pageSize{Keys: KeysOf(n), Slots: n, Rounds: r.rounds(n), Table: r.table(n)}
		if f := r.Figure(n); f != nil {
			files, err := f.Write(images, []string{"svg"})
			if err != nil {
				return fmt.Errorf("rivals: %w", err)
			}
			s.Picture, s.Caption = "images/"+files[0], f.Caption
		}
		sizes = append(sizes, s)
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{
		"Command": r.Laps.Source.Command(args), "Source": r.Laps.Source, "Summary": r.summary(), "Sizes": sizes, "Ratios": r.ratioTable(), "Remarks": r.remarks(),
		"KeyBytes": KeyBytes, "Batch": measure.ContestBatch,
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "LEAGUE.md"), append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	return nil
}

// ratioTable is ratios for people, nil without a native twin.
func (r *Result) ratioTable() *tabular.Table {
	data := r.ratios()
	if len(data.Rows) == 0 {
		return nil
	}
	t := &tabular.Table{Left: 1, Header: []string{"filter", "slots", "find 0%", "interval", "find 100%", "batch 0%", "add", "last 5%", "remove", "remove batch"}}
	for _, row := range data.Rows {
		short := func(i int) string {
			var v float64
			if _, err := fmt.Sscan(row[i], &v); err != nil {
				return row[i] // not measured
			}
			return stat.Digits(v, 3)
		}
		interval := ""
		if row[3] != "" {
			interval = short(3) + " to " + short(4)
		}
		t.Rows = append(t.Rows, []string{row[0], row[1], short(2), interval, short(5), short(6), short(7), short(8), short(9), short(10)})
	}
	return t
}
