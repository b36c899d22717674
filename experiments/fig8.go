package experiments

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
)

// DeleteByOccupancy is figure 8 of the paper: the throughput of deletes, from a full filter to an empty one.
type DeleteByOccupancy struct{}

// About states the claim.
func (DeleteByOccupancy) About() About {
	return About{
		Name:  "fig8",
		Title: "Figure 8: delete throughput by occupancy",
		Claim: "Deletes of a cuckoo filter are as fast at any occupancy, and faster than those of the other filters that can delete. Those of a quotient filter " +
			"are slow while it is nearly full.",
		Method: "Each filter that can delete is filled, cuckoo and d-left counting Bloom filters until a key is refused, the quotient filter to 90%. Then all of its keys are " +
			"deleted in another order (of a copy of the quotient filter, which is filled further for figures 6 and 7), in steps of 5% of the slots, which are timed; a point stands in the middle of its step." + throughputMethod,
		NotShown: throughputLimits,
		Params:   []string{"slots", "from_permille"},
		Counts:   []string{"room", "before", "deletes", "found", "ns"},
		Derived: []Derived{
			{"occupancy", func(r Row) float64 { return mid(r.Count("before"), r.Count("deletes"), r.Count("room")) }},
			speedOf(million, "deletes", "ns"),
		},
		Timed: []string{"ns", million},
	}
}

// fig8Kinds are the filters that delete.
func fig8Kinds() []sixKind {
	var out []sixKind
	for _, k := range stepKinds() {
		if k.name != "BF" && k.name != "blk-BF" {
			out = append(out, k)
		}
	}
	return out
}

// downFrom are the occupancies at which the steps of deleting begin, in thousandths, from the top.
func (k sixKind) downFrom(q int) []int {
	top := k.fullest()
	if items := k.items(q); items > 0 && k.own == nil {
		permille := (1000*items + 1<<q - 1) >> q
		top = (permille + occupancyStep - 1) / occupancyStep * occupancyStep
	}
	var out []int
	for from := top; from > 0; from -= occupancyStep {
		out = append(out, from)
	}
	return out
}

// Plan returns a job for each filter.
func (DeleteByOccupancy) Plan(s Setup) ([]Job, error) {
	size := throughputSizes[s.Profile]
	kinds, err := s.withOwn(fig8Kinds())
	if err != nil {
		return nil, err
	}
	jobs := size.lives(deleters(kinds), func(k sixKind) ([][]int, float64) {
		var rows [][]int
		for _, from := range k.downFrom(size.q) {
			rows = append(rows, []int{1 << size.q, from})
		}
		return rows, size.seconds(1<<size.q, k.costs().remove)
	})
	for i := range jobs {
		if jobs[i].Series == "QF" {
			jobs[i].Bytes *= 2 // and the copy that is emptied
		}
	}
	return jobs, nil
}

// emptied deletes all that is in the filter, or in a copy of it if the filter goes on.
func (l *life) emptied(ctx context.Context) ([]int, error) {
	w := *l.sixSweep
	if l.clone != nil {
		w.sixFilter = l.clone()
	}
	order := newShuffle(uint64(w.stored))
	var counts []int
	for _, from := range l.kind.downFrom(l.size.q) {
		before := w.stored
		down := int(int64(w.room) * int64(from-occupancyStep) / 1000)
		found, took, err := w.deleteTo(ctx, order, down)
		if err != nil {
			return nil, err
		}
		counts = append(counts, w.room, before, before-w.stored, found, int(took))
	}
	// A counter of 2 bits that four keys of one fingerprint have saturated is never counted down.
	if w.used != nil && l.kind.name != "dl-CBF" {
		if left := w.used(); left > 0 {
			return nil, fmt.Errorf("%.3g of the slots are in use when every key is deleted", left)
		}
	}
	return counts, nil
}

// fig8Axis is how a line of figure 8 is made of groups.
var fig8Axis = speedAxis{
	of: "deletes", by: "ns",
	x: func(g Group) float64 {
		return 100 * mid(g.Sum("before"), g.Sum("deletes"), g.Sum("room"))
	},
}

// fig8Scaled is the occupancy at which the paper's cuckoo filter is put on ours, in percent.
const fig8Scaled = 50

// Draw draws deletes over the paper's points.
func (DeleteByOccupancy) Draw(d *Data) []*chart.Figure {
	p := chart.Panel{X: occupancyAxis, Y: chart.Axis{Label: "deletes (million per second)"}}
	all := d.drawn(fig8Kinds())
	kinds := deleters(all)
	for _, k := range kinds {
		p.Series = append(p.Series, fig8Axis.line(k, reached(d, k.name, "deletes")))
	}
	scale := fig8Axis.scale(reached(d, "CF", "deletes"), PaperPoints(8, "", "CF"), fig8Scaled)
	label := fmt.Sprintf("paper, times %.3g: CF at %d%% is ours", scale, fig8Scaled)
	p.Series = append(p.Series, paperLines(8, "", label, scale, 1)...)
	return []*chart.Figure{{
		Name:    "fig8",
		Title:   "Delete throughput by occupancy, from full to empty" + throughputWhere(d),
		Caption: "Millions of deletes per second against the occupancy at which they are made. The paper's points are multiplied by one number, which puts its cuckoo filter on ours at half occupancy." + ownText(kinds) + leftOut(all),
		Panels:  []chart.Panel{p},
	}}
}

// Judge compares shapes and orders with the paper's.
func (DeleteByOccupancy) Judge(d *Data) []Verdict {
	found, deletes := 0, 0
	for _, g := range d.Groups {
		found, deletes = found+g.Sum("found"), deletes+g.Sum("deletes")
	}
	j := speedJudge{d: d, axis: fig8Axis, pick: func(series string) []Group { return reached(d, series, "deletes") }}
	points := func(series string) []PaperPoint { return PaperPoints(8, "", series) }
	return []Verdict{
		judge(found == deletes && deletes > 0, report.Verdict{
			Claim:     "Every key that was stored can be deleted, and then no slot is in use (dl-CBF: but for saturated counters)",
			Paper:     "all",
			Ours:      fmt.Sprintf("%d of %d", found, deletes),
			Tolerance: "none",
		}),
		j.flat("CF: deletes are as fast at any occupancy: fastest over slowest", "CF", points("CF")),
		j.flat("ss-CF: deletes are as fast at any occupancy: fastest over slowest", "ss-CF", points("ss-CF")),
		j.flat("dl-CBF: deletes are as fast at any occupancy: fastest over slowest", "dl-CBF", points("dl-CBF")),
		j.changes("QF: speed near empty over that at 87.5%", "QF", points("QF"), 87.5, 2.5, cause{}),
		j.ahead("CF over dl-CBF, at 50%", "CF", "dl-CBF", 50, points),
		j.ahead("CF over QF, at 87.5%", "CF", "QF", 87.5, points),
		j.order("Order of the filters, fastest first, at 50%", 50, points),
	}
}
