package chart

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats returns the names of the formats, which are the endings of the files.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// CheckFormats returns an error that lists the known formats if one is unknown.
func CheckFormats(formats []string) error {
	for _, f := range formats {
		if !slices.Contains(Formats(), f) {
			return fmt.Errorf("chart: unknown format %q: want %s", f, strings.Join(Formats(), ", "))
		}
	}
	return nil
}

// Write renders the figure in each format to dir/Name.format and returns the names of the files without dir, in the
// order of formats. The directory must exist; a file of the name is replaced. After an error the files written so far
// remain, and their names are returned.
func (f *Figure) Write(dir string, formats []string) (files []string, err error) {
	for _, format := range formats {
		name := f.Name + "." + format
		data, err := f.Render(format)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			return files, err
		}
		files = append(files, name)
	}
	return files, nil
}

// Render returns the figure in one format. It costs some tens of milliseconds, the first PDF more: it prepares the
// font in a temporary directory. The bytes depend on the figure alone.
func (f *Figure) Render(format string) (data []byte, err error) {
	if err := cmp.Or(CheckFormats([]string{format}), f.Check()); err != nil {
		return nil, err
	}
	defer func() { // vgpdf panics where it cannot make its temporary directory
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			data, err = nil, fmt.Errorf("chart: figure %q: %s: %w", f.Name, format, err)
		}
	}()
	switch l := f.layout(); format {
	case "png":
		return l.png()
	case "svg":
		return l.svg()
	default:
		return l.pdf()
	}
}

// resolution is the pHYs chunk (PNG specification, 11.3.4.3), with the length in front and the checksum behind: 7874
// dots per metre are 200 per inch. By it a word processor shows the picture at its size in centimetres.
const (
	dotsPerInch = 200
	resolution  = "\x00\x00\x00\x09pHYs\x00\x00\x1e\xc2\x00\x00\x1e\xc2\x01\x6e\xd0\x75\x3e"
	header      = 8 + 4 + 4 + 13 + 4 // signature; length, type, data and checksum of IHDR
)

func (l *layout) png() ([]byte, error) {
	data, err := l.draw(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(white))})
	if err != nil {
		return nil, err
	}
	return slices.Insert(data, header, []byte(resolution)...), nil
}

func (l *layout) svg() ([]byte, error) {
	data, err := l.draw(vgsvg.New(l.width, l.height))
	head, body, ok := strings.Cut(string(data), `xmlns:xlink="http://www.w3.org/1999/xlink">`)
	if err != nil || !ok {
		return nil, cmp.Or(err, errors.New("no svg element"))
	}
	about := "<title>" + html.EscapeString(PlainText(l.Title)) + "</title>\n"
	if l.Caption != "" {
		about += "<desc>" + html.EscapeString(l.Caption) + "</desc>\n"
	}
	return []byte(head + `font-family="'Liberation Sans',Arial,Helvetica,sans-serif">` + "\n" + about +
		svgText.ReplaceAllStringFunc(body, lineInSVG)), nil
}

// pdfDates are the two dates in a PDF of fpdf. They are overwritten with as many bytes, so that the
// cross-reference table stays right; fpdf's defaults would reach every other user of it in
// the process. With one font and no image, nothing else in the file depends on a map's order.
var pdfDates = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}\)`)

func (l *layout) pdf() ([]byte, error) {
	data, err := l.draw(pdfCanvas{vgpdf.New(l.width, l.height)})
	if n := len(pdfDates.FindAll(data, -1)); err == nil && n != 2 {
		err = fmt.Errorf("found %d dates to fix, want 2", n)
	}
	return pdfDates.ReplaceAll(data, []byte("/$1 (D:20000101000000)")), err
}

// A pdfCanvas repairs the colours of vgpdf, which takes premultiplied components for plain ones
// and so draws what is translucent nearly black.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) SetColor(clr color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(clr).(color.NRGBA)))
}

// straight is a colour whose RGBA does not multiply by alpha.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}
