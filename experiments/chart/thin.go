package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

const (
	// fewPoints is what a line may have without being thinned: the lines of reports have fewer.
	fewPoints = 4000
	// column is the width in points below which nobody sees where in it a point lies: a pixel at 300 dpi.
	column = 0.25
	// strokePoints is how many points of a line are stroked at a time. The rasterizer of pictures in pixels
	// (freetype/raster, findCell) takes time with the square of what one stroke leaves in a row of pixels.
	strokePoints = 64
)

// thin leaves of a long line what shows: of consecutive points in one column the first, the lowest, the highest and
// the last, in their order.
func thin(line []vg.Point) []vg.Point {
	if len(line) <= fewPoints {
		return line
	}
	at := func(p vg.Point) float64 { return math.Floor(float64(p.X) / column) }
	var out []vg.Point
	for from := 0; from < len(line); {
		low, high, to := from, from, from
		for ; to < len(line) && at(line[to]) == at(line[from]); to++ {
			if line[to].Y < line[low].Y {
				low = to
			}
			if line[to].Y > line[high].Y {
				high = to
			}
		}
		last := -1
		for _, i := range []int{from, min(low, high), max(low, high), to - 1} {
			if i > last {
				out, last = append(out, line[i]), i
			}
		}
		from = to
	}
	return out
}

// pieces cuts long lines into pieces. Each repeats the segment before it, so that no corner is open.
func pieces(lines [][]vg.Point) [][]vg.Point {
	var out [][]vg.Point
	for _, line := range lines {
		if len(line) <= fewPoints/4 {
			out = append(out, line)
			continue
		}
		for from := 0; from < len(line)-1; from += strokePoints {
			out = append(out, line[max(from-1, 0):min(from+strokePoints+1, len(line))])
		}
	}
	return out
}
