package experiments

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// paperCSV holds the points of figures 2 to 8 of the paper, read off its vector graphics to about
// 0.02 of an axis unit. Collinear points of a flat series are left out.
//
//go:embed testdata/figures.csv
var paperCSV string

// A PaperPoint is one point of a figure of the paper.
type PaperPoint struct {
	Figure        int
	Panel, Series string
	X, Y          float64
}

// PaperPoints returns the points of a series in a figure of the paper, in the order of the drawing;
// nil if there is none. Figure 2 has the panels b=4 and b=8, figure 6 negative and positive,
// the others one without a name.
func PaperPoints(figure int, panel, series string) []PaperPoint {
	all, err := paperPoints()
	if err != nil {
		panic(err) // the embedded file is wrong: TestPaper_Parses holds that it is not
	}
	var out []PaperPoint
	for _, p := range all {
		if p.Figure == figure && p.Panel == panel && p.Series == series {
			out = append(out, p)
		}
	}
	return out
}

// paperPoints parses the file once.
var paperPoints = sync.OnceValues(func() ([]PaperPoint, error) { return parsePaper(paperCSV) })

func parsePaper(text string) ([]PaperPoint, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("experiments: the paper's points: %w", err)
	}
	var out []PaperPoint
	for i, r := range records[1:] {
		if len(r) != 5 {
			return nil, fmt.Errorf("experiments: the paper's points: line %d has %d fields, want 5", i+2, len(r))
		}
		figure, err1 := strconv.Atoi(r[0])
		x, err2 := strconv.ParseFloat(r[3], 64)
		y, err3 := strconv.ParseFloat(r[4], 64)
		if err1 != nil || err2 != nil || err3 != nil || math.IsNaN(x) || math.IsNaN(y) {
			return nil, fmt.Errorf("experiments: the paper's points: line %d: %q", i+2, r)
		}
		out = append(out, PaperPoint{figure, r[1], r[2], x, y})
	}
	return out, nil
}
