package claims

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

// LoadPoints is the paper's curve for a bucket size and 2^size buckets.
func LoadPoints(b, size int) []PaperPoint {
	return PaperPoints(2, fmt.Sprintf("b=%d", b), fmt.Sprintf("m=2^%d", size))
}

// SizeSeries names the curve of tables of 2^size buckets.
func SizeSeries(size int) string { return fmt.Sprintf("m = 2^%d", size) }

// PlateauFrom is the narrowest width of the flat part of the paper's curve for m = 2^15.
const PlateauFrom = 6

// SmallTables is why a profile does not measure a load factor of the paper.
const SmallTables = "The tables of this profile are smaller than the paper's."

// PaperPlateau is the flat part of one of the paper's curves.
func PaperPlateau(points []PaperPoint) Sample {
	var flat []float64
	for _, p := range points {
		if p.X >= PlateauFrom {
			flat = append(flat, p.Y)
		}
	}
	return SampleOf(flat)
}

// The widths of the paper's figure 3.
const (
	NarrowestRatePoint = 9
	WidestRatePoint    = 20
)

// RatePointEdge is where the paper's axis ends: its first point of each line, at exactly this rate, is the
// line leaving the picture and no measurement.
const RatePointEdge = 0.01

// RatePoints returns the paper's measurements for a bucket size: X is the rate, Y the bits per item.
func RatePoints(b int) []PaperPoint {
	points := PaperPoints(3, "", fmt.Sprintf("b=%d", b))
	if len(points) > 0 && points[0].X == RatePointEdge {
		points = points[1:]
	}
	return points
}

// NoneLost is the promise of every filter: it never denies a key that it holds. It fails where none was stored.
func NoneLost(lost, stored int) Verdict {
	e := Exactly(float64(lost))
	if stored == 0 {
		e = Exactly(math.NaN())
	}
	e.Format = "%.0f"
	v := Claim{ID: "none lost", Says: "No key that was stored is denied", Paper: "0"}.Equal(e, 0, 0, "none may be")
	v.Ours = fmt.Sprintf("%d of %d", lost, stored)
	return v
}

// PaperLoad is the load factor that the paper's points imply: width over bits per item. The last point
// of a line is the widest fingerprint.
func PaperLoad(b int) Sample {
	points := RatePoints(b)
	var loads []float64
	for i, p := range points {
		loads = append(loads, float64(WidestRatePoint-len(points)+1+i)/p.Y)
	}
	return SampleOf(loads)
}
