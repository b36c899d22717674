package chart

import (
	"cmp"

	"gonum.org/v1/plot/vg"
)

// A Figure describes one picture. Its zero value has no panel and does not pass Check. A Figure
// that nobody changes may be rendered by several goroutines at once.
type Figure struct {
	Name    string // stem of the file names: "fig3"; letters, digits, '.', '_' and '-'
	Title   string // over all panels; wrapped if it is long
	Caption string // what a reader who cannot see the picture is told; not drawn, any UTF-8
	Panels  []Panel

	// Columns is how many panels stand side by side; 0 is all of them. Panels of several rows are small
	// multiples: their legend is under them.
	Columns int

	// Below puts the legend under the panels, not into a corner or to the right.
	Below bool

	// Width and Height are the size of the picture in centimetres. 0 is 12 (9.5 for each of two panels in a row,
	// 6.5 for each of more) and 8 (5.5 for each of several rows). A legend beside or below the panels and a title
	// of several lines add to it.
	Width, Height float64
}

// Bounds of a picture, in centimetres: below, labels leave no room for data; above, a PNG takes more than a gigabyte.
const (
	minWidth, minHeight = 6, 5
	minSmall            = 4 // of each of many panels
	maxSide             = 100
)

// size returns width and height of the picture without a legend beside or below the panels.
func (f *Figure) size() (width, height vg.Length) {
	columns, rows := f.grid()
	w, h := [...]float64{12, 19, float64(columns) * 6.5}[min(columns, 3)-1], 8.0
	if rows > 1 {
		h = 5.5 * float64(rows)
	}
	return vg.Length(cmp.Or(f.Width, w)) * vg.Centimeter, vg.Length(cmp.Or(f.Height, h)) * vg.Centimeter
}

// Narrow returns the figure for a screen of 400 pixels: its panels in one column, the legend under
// them. A page writes both and lets a media query choose.
func (f *Figure) Narrow() *Figure {
	out := *f
	out.Columns, out.Below, out.Width, out.Height = 1, true, 9.5, 0
	return &out
}

// A Panel is one pair of axes. Axes of one figure that have the same label share their automatic
// range, so that two panels can be compared by eye. Where the next panel to the left, or below, has the
// same axis, its labels are not repeated.
type Panel struct {
	Title  string  // "(a) b = 4"
	Height float64 // of the frame, relative to those of other rows; 0 is 1

	Sideways bool // intervals are of X, not of Y: for names on the y axis
	Listed   bool // the legend has the order of Series, not that in which lines end

	X, Y   Axis
	Areas  []Area
	Series []Series
	Notes  []Note
}

// An Axis says how one direction of a panel is scaled and labelled.
type Axis struct {
	Label string

	// Log scales by the logarithm to Base. What is not positive cannot be shown there: such a
	// Y is an error unless its point is Zero, and an interval is cut at the frame.
	Log  bool
	Base int // 10 (also 0) or 2: decides the ticks and their form, 10^{3} or 2^{3}

	// Min and Max bound the axis; data outside is cut off. NaN is automatic, and so is a pair
	// of zeros, a Max that is not above Min, and on a log axis all that is not positive.
	Min, Max float64

	Format Format
	Ticks  []Tick // in place of computed ones

	// Whole puts computed ticks at whole numbers only: half a bucket, or half a bit, is nothing.
	Whole bool
}

// A Format is how tick labels are written.
type Format int

// The formats of tick labels.
const (
	Plain   Format = iota // 0.01, 20k, 10^{-2}
	Percent               // 1%: for a fraction
)

// A Tick is a mark on an axis. An empty Label prints At in the axis's format.
type Tick struct {
	At    float64
	Label string
}

// Down returns the ticks of categories on a y axis from above to below, the i-th at -i.
func Down(names ...string) (out []Tick) {
	for i, name := range names {
		out = append(out, Tick{-float64(i), name})
	}
	return out
}

// Dodge is how far the i-th of n series stands beside the middle of its category.
func Dodge(i, n int) float64 { return (float64(i) - float64(n-1)/2) * 0.7 / float64(max(n, 1)) }

// A Kind is how a series is drawn.
type Kind int

// The kinds of series. Intervals are bands for LineMarks, Line and Thin, error bars for the others.
const (
	LineMarks Kind = iota // measurements along a parameter
	Line                  // a curve: computed, or of too many points to mark
	Marks                 // measurements that no line connects
	Hollow                // the paper's own points: hollow, grey, larger than ours and under them
	Thin                  // theory: a thin line, without markers
)

// A Series is a sequence of points, connected in the order given. Series of one label, in one or
// several panels, are one line of the legend: theory and its measurements may share "Bloom", drawn there
// as a line with a marker, and the paper's points "paper".
type Series struct {
	Label    string
	Style    Style
	Kind     Kind
	Points   []Point
	NoLegend bool

	// Step says that the value of a point lasts until the next one: the line is horizontal between them.
	Step bool
}

// A Point is one measurement.
type Point struct {
	X, Y float64

	// Lo and Hi are the interval of Y (of X in a panel that is Sideways), in its unit; two zeros mean that there is none.
	Lo, Hi float64

	// Zero says that no event was seen. On a log axis Y is then ignored and an arrow is drawn
	// at Hi, the upper limit; on a linear axis the point is drawn like any other.
	Zero bool
}

func (p Point) interval() bool { return p.Lo != 0 || p.Hi != 0 }

// A Note marks a place with a ring, through which data show, and a text beside it, where there is room.
type Note struct {
	X, Y float64
	Text string
}
