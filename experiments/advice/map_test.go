package advice

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// known is a map on which a blocked filter wins up to a cost of a miss that falls as there are more keys: 192 ns at a
// thousand, 64 ns at 100,000.
func known() *Map {
	return &Map{work: Workload{Negative: 1}, columns: []column{
		{1000, []Cost{cost("blocked bloom", 4, 0.0625), cost("cuckoo", 10, 0.03125)}},
		{100_000, []Cost{cost("blocked bloom", 8, 0.0625), cost("cuckoo", 10, 0.03125)}},
	}}
}

func TestMap_FigureShowsRegionsAndThePoint(t *testing.T) {
	m := known()
	a := &Advice{Keys: 3000, Work: Workload{MissCost: 80_000, Negative: 1}, Rows: []Cost{cost("cuckoo", 10, 0.01)}}
	m.Mark(a)
	f := m.Figure()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0]
	labels := map[string]bool{}
	for _, area := range p.Areas {
		labels[area.Label] = true
	}
	if len(labels) != 3 || len(p.Notes) != 1 || p.Notes[0].Text != "3,000 keys, 80 us" {
		t.Errorf("regions %v, notes %v", labels, p.Notes)
	}
	for _, outside := range []func(){
		func() { a.Keys = 10 },
		func() { a.Keys, a.Work.MissCost = 3000, 0.1 },
		func() { a.Work.MissCost = 1e9 },
	} {
		outside()
		if notes := m.Figure().Panels[0].Notes; len(notes) != 0 {
			t.Errorf("a point outside is noted: %v", notes)
		}
	}
}

func TestMap_CSVAndText(t *testing.T) {
	m := known()
	data := must.Get(m.CSV())(t)
	want := "1000,blocked bloom,10,f=8 b=4,10,0.0625,4,4,2,2,40\n"
	if lines := bytes.Count(data, []byte("\n")); lines != 5 || !strings.Contains(string(data), want) {
		t.Errorf("%d lines, want 5, one of them %q:\n%s", lines, want, data)
	}
	var text bytes.Buffer
	if err := m.Write(&text, 0, "a.png", "a.csv"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no filter | 4.27 ns | blocked bloom | 192 ns | cuckoo\n", "Wrote a.png and a.csv\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}
