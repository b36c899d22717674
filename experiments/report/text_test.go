package report

import (
	"bytes"
	"os"
	"testing"
)

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
	var b bytes.Buffer
	if IsTerminal(&b) {
		t.Error("a buffer is no terminal")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	defer null.Close()
	if IsTerminal(null) {
		t.Error("the null device is no terminal")
	}
}
