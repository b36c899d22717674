package chart

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"html"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrFormat is wrapped by the error for a format that is not among Formats.
var ErrFormat = errors.New("unknown format")

// Formats returns the names of the formats, which are the endings of the files.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// CheckFormats returns an error that wraps ErrFormat and lists the known ones if a format is unknown.
func CheckFormats(formats []string) error {
	for _, f := range formats {
		if !slices.Contains(Formats(), f) {
			return fmt.Errorf("chart: %w %q: want %s", ErrFormat, f, strings.Join(Formats(), ", "))
		}
	}
	return nil
}

// Write renders the figure in each format to dir/Name.format and returns the names of the files
// without dir, in the order of formats. The directory must exist; a file of the name is replaced.
// After an error the files written so far remain, and their names are returned.
func (f *Figure) Write(dir string, formats []string) ([]string, error) {
	if err := CheckFormats(formats); err != nil {
		return nil, err
	}
	var files []string
	for _, format := range formats {
		data, err := f.Render(format)
		if err != nil {
			return files, err
		}
		name := f.Name + "." + format
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return files, fmt.Errorf("chart: figure %q: %w", f.Name, err)
		}
		files = append(files, name)
	}
	return files, nil
}

// Render returns the figure in one format. It costs some tens of milliseconds, the first PDF more:
// it prepares the font in a temporary directory. The bytes depend on the figure alone.
func (f *Figure) Render(format string) (data []byte, err error) {
	if err := CheckFormats([]string{format}); err != nil {
		return nil, err
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	defer func() { // vgpdf panics where it cannot make its temporary directory
		if r := recover(); r != nil {
			data, err = nil, fmt.Errorf("chart: figure %q: %s: %v", f.Name, format, r)
		}
	}()
	if data, err = map[string]func() ([]byte, error){"png": f.png, "svg": f.svg, "pdf": f.pdf}[format](); err != nil {
		return nil, fmt.Errorf("chart: figure %q: %s: %w", f.Name, format, err)
	}
	return data, nil
}

// dotsPerInch of the PNG.
const dotsPerInch = 200

func (f *Figure) png() ([]byte, error) {
	l := f.layout()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(white))}
	l.draw(c)
	data, err := collect(c)
	if err != nil {
		return nil, err
	}
	return withResolution(data), nil
}

// withResolution adds the pHYs chunk (PNG specification, 11.3.4.3) behind the header, so that a
// word processor shows the picture at its size in centimetres.
func withResolution(png []byte) []byte {
	const header = 8 + 4 + 4 + 13 + 4 // signature; length, type, data and checksum of IHDR
	const perMetre = dotsPerInch * 10000 / 254
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	sum := crc32.ChecksumIEEE(chunk)
	full := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	full = binary.BigEndian.AppendUint32(append(full, chunk...), sum)
	return slices.Concat(png[:header], full, png[header:])
}

func (f *Figure) svg() ([]byte, error) {
	l := f.layout()
	c := vgsvg.New(l.width, l.height)
	t := &svgWriter{Canvas: c, height: l.height}
	l.draw(t)
	data, err := collect(c)
	if err != nil {
		return nil, err
	}
	open, end := bytes.Index(data, []byte("<svg")), bytes.LastIndex(data, []byte("</svg>"))
	if open < 0 || end < 0 {
		return nil, errors.New("no svg element")
	}
	inside := open + bytes.IndexByte(data[open:], '>') + 1
	about := "\n<title>" + html.EscapeString(PlainText(f.Title)) + "</title>\n"
	if f.Caption != "" {
		about += "<desc>" + html.EscapeString(f.Caption) + "</desc>\n"
	}
	const group = `<g style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif">` + "\n"
	return slices.Concat([]byte("<?xml version=\"1.0\"?>\n"), data[open:inside], []byte(about), data[inside:end],
		[]byte(group), t.out.Bytes(), []byte("</g>\n"), data[end:]), nil
}

// pdfDates are the two dates in a PDF of fpdf. They are overwritten with as many bytes, so that the
// cross-reference table stays right; fpdf's defaults would reach every other user of it in
// the process. With one font and no image, nothing else in the file depends on a map's order.
var pdfDates = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}\)`)

func (f *Figure) pdf() ([]byte, error) {
	l := f.layout()
	c := pdfCanvas{vgpdf.New(l.width, l.height)}
	l.draw(c)
	data, err := collect(c)
	if err != nil {
		return nil, err
	}
	if n := len(pdfDates.FindAll(data, -1)); n != 2 {
		return nil, fmt.Errorf("found %d dates to fix, want 2", n)
	}
	return pdfDates.ReplaceAll(data, []byte("/$1 (D:20000101000000)")), nil
}

// A pdfCanvas repairs the colours of vgpdf, which takes premultiplied components for plain ones
// and so draws what is translucent nearly black.
type pdfCanvas struct{ *vgpdf.Canvas }

// SetColor sets the colour of what is drawn next.
func (c pdfCanvas) SetColor(clr color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(clr).(color.NRGBA)))
}

// straight is a colour whose RGBA does not multiply by alpha.
type straight color.NRGBA

// RGBA returns the components as they are.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// collect returns what a canvas writes.
func collect(c io.WriterTo) ([]byte, error) {
	var buf bytes.Buffer
	n, err := c.WriteTo(&buf)
	if err == nil && n == 0 {
		err = errors.New("the canvas wrote nothing")
	}
	return buf.Bytes(), err
}

var _ vg.Canvas = pdfCanvas{}
