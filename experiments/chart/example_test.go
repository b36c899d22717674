package chart_test

import (
	"fmt"
	"os"

	"github.com/nestfilter/nest/experiments/chart"
)

// A figure is a description; Write draws it in as many formats as one likes.
func ExampleFigure_Write() {
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
	dir, err := os.MkdirTemp("", "chart")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	files, err := fig.Write(dir, []string{"png", "svg", "pdf"})
	fmt.Println(files, err)
	_, err = fig.Write(dir, []string{"bmp"})
	fmt.Println(err)
	// Output:
	// [rates.png rates.svg rates.pdf] <nil>
	// chart: unknown format "bmp": want png, svg, pdf
}
