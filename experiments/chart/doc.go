// Package chart is the one style package of the experiments: it turns the description of a figure
// into a picture that can go into a report as it is. It stands on gonum.org/v1/plot's canvases
// and fonts and does its own layout, so that what is drawn where is known and can be tested.
//
// A [Figure] has one [Panel] or several, in rows and columns, with [Series] of points, coloured [Area]s and [Note]s.
// PNG has 200 dots per inch, lines are 1.4 pt, text is Liberation Sans and never bold. One filter has one colour, dash
// and marker in every figure ([StyleFor]), so that series can be told apart in greyscale.
//
// The legend lies where no data is, or to the right of a single row of panels, or below several, in the order in which
// lines end. Lines that hide each other are named under the picture. Notes stand off the data. Frames of one figure are
// equally wide; labels that several panels share stand at the left and below only. [Figure.Narrow] is for a telephone.
//
// Text that is drawn is ASCII, because the PDF's font encoding garbles the rest; powers are
// written 10^{-6} and drawn raised. In an SVG, which does not carry the font, a line of text is one element of fixed
// width: where Liberation Sans and its likes are missing, letters of another font are squeezed into that width.
//
// The formats are png, svg and pdf. The same figure gives the same bytes each time it is rendered on one machine.
package chart
