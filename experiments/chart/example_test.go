package chart_test

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/chart"
)

// A figure is a description; Render draws it in a format, and Write into files.
func ExampleFigure_Render() {
	fig := &chart.Figure{
		Name:  "rates",
		Title: "Rates of 10^{6} probes",
		Panels: []chart.Panel{{
			X: chart.Axis{Label: "bits per item"},
			Y: chart.Axis{Label: "false-positive rate", Log: true, Format: chart.Percent},
			Series: []chart.Series{{
				Label: "cuckoo, b = 4",
				Style: chart.StyleFor("cuckoo"),
				Points: []chart.Point{
					{X: 8.4, Y: 0.029, Lo: 0.0286, Hi: 0.0294},
					{X: 12.6, Y: 0.0019, Lo: 0.0018, Hi: 0.0020},
					{X: 33.6, Zero: true, Hi: 3.7e-6},
				},
			}},
		}},
	}
	for _, format := range append(chart.Formats(), "bmp") {
		picture, err := fig.Render(format)
		fmt.Println(format, len(picture) > 0, err)
	}
	// Output:
	// png true <nil>
	// svg true <nil>
	// pdf true <nil>
	// bmp false chart: unknown format "bmp": want png, svg, pdf
}
