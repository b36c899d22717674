package drawing_test

import (
	"os"

	"github.com/nestfilter/nest/experiments/drawing"
)

// A slot with a fingerprint, and a free one.
func Example() {
	c := drawing.Canvas{Look: drawing.Light, ID: "x-"}
	c.Start(120, 40, `two "slots"`)
	c.Box(4, 4, 46, 32, c.New, c.OnNew, "3a")
	c.Box(60, 4, 46, 32, c.Used, c.OnUsed, "")
	c.Way("M4 4H60", true)
	c.Way("M60 4H4", false)
	c.Number(30, 4, 2)
	c.Text(4, 38, drawing.Bold(9), "a < b")
	os.Stdout.Write(c.End())
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 120 40" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" font-size="13" fill="#000000">
	// <title>two &#34;slots&#34;</title>
	// <defs>
	// <marker id="x-new" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#d55e00"/></marker>
	// <marker id="x-kick" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#0072b2"/></marker>
	// </defs>
	// <rect width="120" height="40" fill="#ffffff"/>
	// <g transform="translate(4 4)">
	// <rect width="46" height="32" rx="4" fill="#d55e00" stroke="#6e6e6e"/>
	// <text x="23" y="21" font-size="15" text-anchor="middle" fill="#ffffff">3a</text>
	// </g>
	// <g transform="translate(60 4)">
	// <rect width="46" height="32" rx="4" fill="#ffffff" stroke="#6e6e6e" stroke-dasharray="3 3"/>
	// </g>
	// <path d="M4 4H60" fill="none" stroke="#d55e00" stroke-width="2" stroke-linejoin="round" marker-end="url(#x-new)"/>
	// <path d="M60 4H4" fill="none" stroke="#0072b2" stroke-width="2" stroke-linejoin="round" marker-end="url(#x-kick)"/>
	// <g transform="translate(30 4)">
	// <circle r="9" fill="#0072b2"/>
	// <text y="4" font-size="12" text-anchor="middle" fill="#ffffff" font-weight="bold">2</text>
	// </g>
	// <text x="4" y="38" font-size="9" font-weight="bold">a &lt; b</text>
	// </svg>
}
