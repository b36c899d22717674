package claims

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// paperCSV holds the points of figures 2 to 8 of the paper, read off its vector graphics to about 0.02 of an axis unit.
// Collinear points of a flat series are left out.
//
//go:embed testdata/figures.csv
var paperCSV string

// A PaperPoint is one point of a figure of the paper.
type PaperPoint struct {
	Figure        int
	Panel, Series string
	X, Y          float64
}

// paperPoints parses the file once. It panics if that is wrong.
var paperPoints = sync.OnceValue(func() (all []PaperPoint) {
	records, err := csv.NewReader(strings.NewReader(paperCSV)).ReadAll()
	for _, r := range records[1:] {
		p := PaperPoint{Panel: r[1], Series: r[2]}
		if _, e := fmt.Sscan(r[0]+" "+r[3]+" "+r[4], &p.Figure, &p.X, &p.Y); err != nil || e != nil {
			panic(errors.Join(err, e))
		}
		all = append(all, p)
	}
	return all
})

// PaperPoints returns the points of a series in a figure of the paper, in the order of the drawing; nil if there is
// none. Figure 2 has the panels b=4 and b=8, figure 6 negative and positive, the others one without a name.
func PaperPoints(figure int, panel, series string) (out []PaperPoint) {
	for _, p := range paperPoints() {
		if p.Figure == figure && p.Panel == panel && p.Series == series {
			out = append(out, p)
		}
	}
	return out
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

// RatePoints returns the paper's measurements for a bucket size: X is the rate, Y the bits per item. The first point of
// each line, at exactly 1%, is the line leaving the picture and no measurement.
func RatePoints(b int) []PaperPoint {
	points := PaperPoints(3, "", fmt.Sprintf("b=%d", b))
	if len(points) > 0 && points[0].X == 0.01 {
		points = points[1:]
	}
	return points
}

// PaperLoad is the load factor that the paper's points imply: width over bits per item. The last point of a line is the
// widest fingerprint.
func PaperLoad(b int) Sample {
	points := RatePoints(b)
	var loads []float64
	for i, p := range points {
		loads = append(loads, float64(WidestRatePoint-len(points)+1+i)/p.Y)
	}
	return SampleOf(loads)
}
