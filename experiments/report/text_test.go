package report

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nestfilter/nest/experiments/must"
)

func TestWrap_BreaksBetweenWords(t *testing.T) {
	for _, c := range []struct {
		mark, text string
		width      int
		want       string
	}{
		{"- ", "one two three", 9, "- one two\n  three\n"},
		{"- ", "one two three", 0, "- one two three\n"},
		{"", "", 9, "\n"},
		{"nest: ", "a\n\n\tb", 80, "nest: a\n\n      \tb\n"},
		{"", "a longer-than-a-line b", 6, "a\nlonger-than-a-line\nb\n"},
		{"", "\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6", 7, "\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6\n"},
	} {
		if got := Wrap(c.mark, c.text, c.width); got != c.want {
			t.Errorf("%q by %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestTable_FitsATerminal: a frame goes first, then titles are broken, then minor columns go, and a pipe gets all.
func TestTable_FitsATerminal(t *testing.T) {
	table := Table{Columns: []string{"filter", "bits per item", "over bound", "rate"}, Left: 1,
		Minor: []string{"over bound", "rate", "rows"},
		Rows:  [][]string{{"semi-sorted cuckoo", "11.46", "+2.40", "0.19%"}}}
	for width, want := range map[int]string{
		0:  "filter              bits per item  over bound   rate\nsemi-sorted cuckoo          11.46       +2.40  0.19%\n",
		80: "\u250c", 59: "\u250c", 58: "filter              bits per item", 52: "filter              bits per item",
		51: "bits   over   rate\n",
		39: "bits   over   rate\n", 38: "columns: over bound.", 32: "more columns: over bound.",
		31: "more columns: over bound,\nrate.",
	} {
		var out bytes.Buffer
		must.Do(t, table.Write(&out, width))
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); width > 0 && n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		if !strings.Contains(out.String(), want) || width > 38 && strings.Contains(out.String(), "A wider") {
			t.Errorf("width %d: no %q in\n%s", width, want, &out)
		}
	}
	if len(table.Columns) != 4 || table.Columns[1] != "bits per item" || len(table.Rows[0]) != 4 {
		t.Errorf("the table was changed: %+v", table)
	}
}

func ExampleTable_Write() {
	t := Table{Columns: []string{"filter", "bits", "rate"}, Left: 1,
		Rows: [][]string{{"bloom", "9.59", "1%"}, {"cuckoo", "10.5", "0.74%"}}}
	t.Write(os.Stdout, 80)
	t.Write(os.Stdout, 0)
	// Output:
	// ┌────────┬──────┬───────┐
	// │ filter │ bits │  rate │
	// ├────────┼──────┼───────┤
	// │ bloom  │ 9.59 │    1% │
	// │ cuckoo │ 10.5 │ 0.74% │
	// └────────┴──────┴───────┘
	// filter  bits   rate
	// bloom   9.59     1%
	// cuckoo  10.5  0.74%
}

func TestIsTerminal_NotAFile(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if IsTerminal(&bytes.Buffer{}) || err == nil && IsTerminal(null) {
		t.Error("a buffer, or the null device, is no terminal")
	}
}
