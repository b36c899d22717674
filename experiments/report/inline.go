package report

import (
	"fmt"
	"html"
	"html/template"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// Parts of an SVG file that have to change before it stands in a page with others.
var (
	svgIDs    = regexp.MustCompile(`(\sid="|url\(#|href="#)`)
	svgSpaces = regexp.MustCompile(`\s+xmlns(:[a-z]+)?="[^"]*"`)
	svgOpen   = regexp.MustCompile(`<svg[^>]*>`)
	svgTags   = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	svgColors = regexp.MustCompile(`\b(fill|stroke):(#[0-9A-Fa-f]{6})\b`)
	svgSize   = regexp.MustCompile(`\swidth="([0-9.]+)pt"\s+height="[0-9.]+pt"`)
)

// onScreen is how much larger than on paper a figure is shown: its text is then as large as the page's.
const onScreen = 1.3

// inline turns an SVG file into an element for a page: without the XML prologue and namespaces, its
// ids and the references to them prefixed so that two figures do not share a clip path, and
// named for those who cannot see it. Its colours become variables of the style sheet, so that a page in
// the dark can replace them; see darkColors.
func inline(svg []byte, prefix, title string) template.HTML {
	s := string(svg)
	s = s[max(strings.Index(s, "<svg"), 0):]
	s = svgTags.ReplaceAllStringFunc(s, func(tag string) string {
		tag = svgColors.ReplaceAllStringFunc(tag, func(c string) string {
			property, value, _ := strings.Cut(c, ":")
			return property + ":var(" + variable(value) + "," + value + ")"
		})
		return svgIDs.ReplaceAllString(tag, "${1}"+prefix)
	})
	open := svgOpen.FindString(s)
	named := svgSpaces.ReplaceAllString(open, "")
	if size := svgSize.FindStringSubmatch(named); size != nil {
		if pt, err := strconv.ParseFloat(size[1], 64); err == nil {
			named = svgSize.ReplaceAllString(named, fmt.Sprintf(` style="width:%.0fpt"`, pt*onScreen))
		}
	}
	named = strings.TrimSuffix(named, ">") + ` role="img" aria-label="` + html.EscapeString(title) + `">`
	s = strings.Replace(s, open, named+`<g id="`+prefix+wholeID+`">`, 1)
	return template.HTML(strings.Replace(s, "</svg>", "</g></svg>", 1))
}

// wholeID ends the ID of the group that holds all of a figure.
const wholeID = "whole"

// A thumb is a small form of a figure that is elsewhere on the page: it refers to it and repeats nothing.
type thumb struct{ ID, Box string }

// viewBox is what a figure shows, in its units.
var viewBox = regexp.MustCompile(`\sviewBox="([^"]*)"`)

// thumbOf refers to a figure that inline has made with that prefix.
func thumbOf(figure template.HTML, prefix string) thumb {
	box := viewBox.FindStringSubmatch(string(figure))
	if box == nil {
		return thumb{}
	}
	return thumb{prefix + wholeID, box[1]}
}

// variable is the name of the style sheet's variable for a colour "#0072B2".
func variable(value string) string { return "--c-" + strings.ToLower(value[1:]) }

// variables finds the colours of a figure that is in a page.
var variables = regexp.MustCompile(`var\(--c-([0-9a-f]{6}),`)

// DarkColors are the values that the colours of all figures have in the dark, as declarations for a style
// sheet. Black is always there: SVG leaves it out.
func (p *page) DarkColors() template.CSS {
	names := []string{"000000"}
	for _, v := range p.Views {
		for _, svg := range v.SVG {
			for _, m := range variables.FindAllStringSubmatch(string(svg), -1) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var b strings.Builder
	for _, name := range names {
		n, _ := strconv.ParseUint(name, 16, 32) // six hexadecimal digits
		ink := chart.Dark.Ink(color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255})
		fmt.Fprintf(&b, "--c-%s: #%02x%02x%02x; ", name, ink.R, ink.G, ink.B)
	}
	return template.CSS(strings.TrimSpace(b.String()))
}
