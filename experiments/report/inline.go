package report

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
)

// Parts of an SVG file that have to change before it stands in a page with others.
var (
	svgIDs    = regexp.MustCompile(`(\sid="|url\(#|href="#)`)
	svgSpaces = regexp.MustCompile(`\s+xmlns(:[a-z]+)?="[^"]*"`)
	svgOpen   = regexp.MustCompile(`<svg[^>]*>`)
	svgTags   = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	svgSize   = regexp.MustCompile(`\swidth="([0-9.]+)pt"\s+height="[0-9.]+pt"`)
)

// onScreen is how much larger than on paper a figure is shown: its text is then as large as the page's.
const onScreen = 1.3

// inline turns an SVG file into an element for a page: without the XML prologue and namespaces, its
// ids and the references to them prefixed so that two figures do not share a clip path, and
// named for those who cannot see it.
func inline(svg []byte, prefix, title string) template.HTML {
	s := string(svg)
	s = s[max(strings.Index(s, "<svg"), 0):]
	s = svgTags.ReplaceAllStringFunc(s, func(tag string) string {
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
