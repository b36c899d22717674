package claims

import (
	"testing"
)

func TestPaper_Parses(t *testing.T) {
	all, err := parsePaper(paperCSV)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for _, p := range all {
		counts[p.Figure]++
	}
	for figure, want := range map[int]int{2: 147, 3: 36, 4: 400} {
		if counts[figure] != want {
			t.Errorf("figure %d has %d points, want %d", figure, counts[figure], want)
		}
	}
	if p := PaperPoints(2, "b=8", "m=2^15"); len(p) != 15 || p[3].X != 4 || p[3].Y != 0.9701 {
		t.Errorf("figure 2, b=8, m=2^15: %v", p)
	}
	if p := PaperPoints(1, "", ""); p != nil {
		t.Errorf("figure 1: %v", p)
	}
	for _, bad := range []string{"h\n\"", "a,b,c,d,e\n2,,s,1", "a,b,c,d,e\nx,,s,1,2", "a,b,c,d,e\n2,,s,1,NaN"} {
		if _, err := parsePaper(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}
