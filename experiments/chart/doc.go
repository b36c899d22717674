// Package chart is the one style package of the experiments: it turns the description of a figure
// into a picture that can go into a report as it is. It stands on gonum.org/v1/plot's canvases
// and fonts and does its own layout, so that what is drawn where is known and can be tested.
//
// # Terms
//
//   - [Figure]: one picture, of one or several panels in rows and columns under one title.
//   - [Panel]: one pair of axes with its series and notes.
//   - [Series]: points with a label, a [Style] and a [Kind] (line, marks, the paper's points, theory).
//   - [Area]: a coloured rectangle, of which regions are made.
//   - [Note]: a marked place with a text, such as a crossover.
//
// # What every figure looks like
//
// Unless the figure has a size of its own, a single panel is 12 x 8 cm. PNG has 200 dots
// per inch, lines are 1.4 pt, text is Liberation Sans and never bold. One filter has one colour, dash and
// marker in every figure ([Styles]): no two share a colour or a marker, and no two styles share both dash and
// marker, so the series can be told apart in greyscale. Intervals are a light band behind lines and error bars
// behind marks. The paper's own points are larger hollow grey markers under ours, theory is a thin line. A
// point where no event was seen is, on a log axis, an arrow pointing down from its upper limit.
//
// The legend lies where no data is, or to the right of a single row of panels, or below several. It has one
// entry for each label, with the marks of all panels, and lists the series in the order in which their lines
// end. Lines that hide each other are named under the picture. Notes stand off the data, and their
// leaders off the marks. Frames of one figure are equally wide; the labels of an axis that several panels
// share stand at the left and below only.
//
// # Several panels
//
// With Columns a figure is of small multiples, one for each filter, say. [Figure.Narrow] is the same figure for a
// telephone: one column, the legend below.
//
// # Text
//
// Text that is drawn is ASCII, because the PDF's font encoding garbles the rest; powers are
// written 10^{-6} and drawn raised. [Figure.Check] names the text that breaks this rule. In an SVG, which
// does not carry the font, a line of text is one element of fixed width: where Liberation Sans and its
// likes are missing, letters of another font are squeezed into that width.
//
// # Formats
//
// png, svg and pdf. The same figure gives the same bytes each time it is rendered on one machine.
package chart
