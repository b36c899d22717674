package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// What Table 3 and figures 5 to 8 say of times: what must not be concluded, and how they are measured.
const (
	paperSpeeds  = "Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. "
	paperCaches  = "The paper has two sizes of its processor's cache, 12 MB and 20 MB. Its filters are larger."
	lookupMethod = " one by one as in the paper, and with ContainsHashes in batches of 1024, right after an untimed " +
		"millisecond of such batches, in which some processors wake up." + throughputMethod
	throughputMethod = " Keys are random 64-bit integers, made beforehand; one hash of each (hashing.Mix64; the paper: " +
		"CityHash-64) is counted. Filters take turns, alone on the machine. The time is that of their thread, where the " +
		"system tells it, in pieces of 4096 keys: lookups take what the eighth fastest of their pieces takes, and a piece " +
		"of inserts or deletes no more than one of the same step in a fuller filter. Lines are medians over the rounds, " +
		"bands their intervals. " + oneLife
	oneLife = "Within a round a filter is filled once for Table 3 and figures 5 to 8, and all is timed on that way. A " +
		"claim about times is judged by the ratio of two speeds, round by round. A line is called flat by that of its " +
		"fullest third to its emptiest."
	million = "million_per_second" // the column of a speed where there is one
)

var throughputLimits = []string{
	paperSpeeds + "Its points are drawn as multiples.",
	"The quick profile's tables of 3 MiB fit into most caches, where reads of memory do not count.",
	paperCaches,
}

func speedOf(name, of, by string) lab.Column {
	return lab.Column{Name: name, Of: func(r lab.Row) float64 { return 1000 * r.Ratio(of, by) }}
}

// mid is the occupancy in the middle of a step of some keys that ends, or begins, at stored ones.
func mid(stored, keys string) func(lab.Row) float64 {
	return func(r lab.Row) float64 { return lab.Quotient(2*r.Count(stored)-r.Count(keys), 2*r.Count("room")) }
}

// speeds are those of one panel of a figure, ours and the paper's, by a place that is a percentage.
type speeds struct {
	figure       int
	panel        string  // as the paper's points call it
	source, what string  // of the claims: "figure 6 (a)", "lookups of absent keys"
	of, column   string  // the count of what is timed, and the speed
	unit         float64 // of the paper's places; 100 where they are shares
	apart        float64 // the paper's points in a picture
	scaled       float64 // the place where the paper's cuckoo filter is put on ours
	x            func(lab.Row) float64
}

// place is where a group stands. The counts of its rows are added, which is the mean of shares of one room.
func (j speeds) place(g lab.Group) float64 {
	return 100 * j.x(lab.Row{Experiment: g.Rows[0].Experiment, Params: g.Rows[0].Params, Counts: added(g.Rows)})
}

func added(rows []lab.Row) []int {
	sums := make([]int, len(rows[0].Counts))
	for _, r := range rows {
		for i, n := range r.Counts {
			sums[i] += n
		}
	}
	return sums
}

// counted keeps the groups of a form of lookups, "" of single ones, in which every round did something.
func (j speeds) counted(groups []lab.Group, form string) []lab.Group {
	return measure.Done(lab.Among(groups, "batch", form), j.of)
}

func (j speeds) groups(d *lab.Data, series string) []lab.Group {
	return j.counted(d.Select(series), "")
}

func nearest[T any](all []T, x float64, place func(T) float64) T {
	return slices.MinFunc(all, func(a, b T) int { return cmp.Compare(math.Abs(place(a)-x), math.Abs(place(b)-x)) })
}

// at is the group that stands nearest to a place, or none. batched is that of lookups in batches.
func (j speeds) at(series string, x float64) func(*lab.Data) []lab.Group {
	return j.formAt(series, "", x)
}

func (j speeds) batched(series string, x float64) func(*lab.Data) []lab.Group {
	return j.formAt(series, fmt.Sprint(measure.Batch), x)
}

func (j speeds) formAt(series, form string, x float64) func(*lab.Data) []lab.Group {
	return func(d *lab.Data) []lab.Group {
		groups := j.counted(d.Select(series), form)
		if len(groups) == 0 {
			return nil
		}
		return []lab.Group{nearest(groups, x, j.place)}
	}
}

func (j speeds) points(series string) []claims.PaperPoint {
	points := slices.Clone(claims.PaperPoints(j.figure, j.panel, series))
	for i := range points {
		points[i].X *= j.unit
	}
	return points
}

func (j speeds) paper(series string, x float64) float64 { return paperAt(j.points(series), x) }

// paperAt returns the height of a line of points at x, between two of them on the straight line that leaves out
// collinear ones; beyond its ends that of the nearest one. The points may run in either direction.
func paperAt(points []claims.PaperPoint, x float64) float64 {
	if len(points) == 0 {
		return 1
	}
	for i := 1; i < len(points); i++ {
		last, p := points[i-1], points[i]
		if p.X != last.X && (last.X-x)*(p.X-x) <= 0 {
			return last.Y + (p.Y-last.Y)*(x-last.X)/(p.X-last.X)
		}
	}
	return nearest(points, x, func(p claims.PaperPoint) float64 { return p.X }).Y
}

func (j speeds) line(label string, groups []lab.Group) chart.Series {
	return chart.Series{Label: label, Style: j.style(groups[0], 0, chart.Style{}),
		Points: lab.Points(groups, func(g lab.Group) chart.Point {
			e := lab.Median(j.column)(g)
			return chart.Point{X: j.place(g), Y: e.Value, Lo: e.Low, Hi: e.High}
		})}
}

// style is that of a filter. The second line of one is dashed.
func (j speeds) style(g lab.Group, _ int, _ chart.Style) chart.Style {
	s := g.Cell.Of("filter").(catalogue.Entry).Style()
	if j.panel == "positive" {
		s.Dash, s.Marker = []float64{2, 2}, chart.Plus
	}
	return s
}

// drawn is a panel with a line for each filter, of a form of lookups.
func (j speeds) drawn(x, y chart.Axis, form string, more ...lab.More) lab.Panel {
	if y.Max = math.NaN(); y.Log {
		y.Min = math.NaN()
	}
	return lab.Panel{X: x, Y: y, At: j.place, Of: lab.Median(j.column), Label: labelOf, Style: j.style, More: more,
		Only: func(g lab.Group) bool { return len(j.counted([]lab.Group{g}, form)) > 0 }}
}

// drawnEach is a panel for each filter, with a line of that label.
func (j speeds) drawnEach(label string, y chart.Axis, form string, more ...lab.More) lab.Panel {
	p := j.drawn(occupancyAxis, y, form, more...)
	p.Each, p.Title, p.Label = "filter", "{filter}", func(string) string { return label }
	return p
}

// theirs are the paper's points of the filters in a panel, scaled as another panel's: none over tables of other sizes.
func (j speeds) theirs(label string, like speeds) lab.More {
	return func(d *lab.Data, groups []lab.Group) (out []chart.Series) {
		names, parts := lab.Split("filter", groups)
		for i, name := range names {
			points := j.points(name)
			if len(points) == 0 || !likePaper(d) {
				continue
			}
			scale := like.scale(d)
			s := chart.Series{Label: fmt.Sprintf("paper%s, times %.3g", label, scale), Kind: chart.Hollow,
				Style: j.style(parts[i][0], 0, chart.Style{})}
			for x := 0.; x <= 100; x += j.apart {
				if (x-points[0].X)*(x-points[len(points)-1].X) <= 0 {
					s.Points = append(s.Points, chart.Point{X: x, Y: paperAt(points, x) * scale})
				}
			}
			out = append(out, s)
		}
		return out
	}
}

// scale is the number that puts the paper's cuckoo filter on ours.
func (j speeds) scale(d *lab.Data) float64 {
	var ours []claims.PaperPoint
	for _, p := range j.line("", j.groups(d, "CF")).Points {
		ours = append(ours, claims.PaperPoint{X: p.X, Y: p.Y})
	}
	return paperAt(ours, j.scaled) / j.paper("CF", j.scaled)
}

func likePaper(d *lab.Data) bool { return d.Setup.Profile == lab.Paper }

func labelOf(filter string) string {
	if e, ok := catalogue.Find(filter); ok {
		return e.Label
	}
	return filter
}

// finished completes a figure: by the size of the tables, the paper's points, and the filters of one's own.
func (j speeds) finished(d *lab.Data, f *chart.Figure) {
	if q := catalogue.LifeSizes[d.Setup.Profile].Q; q < 20 {
		f.Title += measure.Raised(fmt.Sprintf(", 2^%d slots", q))
	} else {
		f.Title += fmt.Sprintf(", %.4g MiB", float64(int(catalogue.SlotBits)<<(q-20))/8)
	}
	switch {
	case j.apart == 0:
	case likePaper(d):
		f.Caption += fmt.Sprintf(" The paper's points are times one number, which puts its cuckoo filter at %g%% on ours.",
			j.scaled)
	default:
		f.Caption += " The paper's points are not drawn: its tables are larger than a cache, these are not."
	}
	own := catalogue.DrawnKinds(d, nil)
	if j.figure == 8 {
		f.Caption += catalogue.LeftOut(own)
		own = catalogue.Deleters(own)
	}
	f.Caption += catalogue.OwnText(own)
	for i := range f.Panels {
		f.Panels[i].Title = labelOf(f.Panels[i].Title)
	}
}

var occupancyAxis = chart.Axis{Label: "occupancy (%)", Min: 0, Max: 100}

const (
	leastRounds = 6    // have an interval of 95%: the range of six holds the median with 97%, of five with 94%
	equalSlack  = 1.25 // the factor of the paper's ratio, on another machine
	flatSlack   = 1.1  // that of 1 on a flat line, for which no machine is needed

	forEqual = "a quarter more or less, for another machine"
	forFlat  = "a tenth more or less, on any machine"
	forOrder = "the other one is the faster; absolute speeds are another machine's"
)

func flat(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Ratio(e, 1, flatSlack, forFlat) }

func behind(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Below(e, 1, forOrder) }

// changes allows a factor of 2, and at least half of the change: no line that hardly changes is within it.
func changes(theirs float64) rule {
	low, high := theirs/2, theirs*2
	if half := math.Sqrt(theirs); theirs < 1 {
		high = min(high, half)
	} else {
		low = max(low, half)
	}
	return within(low, high, "a factor of 2 for another machine, and at least half of the paper's change in logarithms")
}

// halfOrMore allows what other code makes of the same filter: half of the change at least, and half more at most.
func halfOrMore(theirs float64) rule {
	low, high := math.Sqrt(theirs), math.Pow(theirs, 1.5)
	return within(min(low, high), max(low, high), "half of the paper's change to half more of it in logarithms: the "+
		"quotient filter is other code")
}

func equal(theirs float64) rule { return within(theirs/equalSlack, theirs*equalSlack, forEqual) }

func speedRatio(of, by []float64) (e claims.Estimate, rounds int) {
	i := measure.Rounds(of).Over(by)
	rounds = min(len(of), len(by))
	return claims.Estimate{Value: i.Median, Low: i.Lo, High: i.Hi}.As("%.3g", "median of %d rounds", rounds), rounds
}

// timed applies a rule to the ratio of two speeds, unless the profile has no times or there are too few rounds. What it
// says never fails the command: the machine decides it too.
func timed(c claims.Claim, p lab.Profile, of, by []float64, judge rule) claims.Verdict {
	c.Machine = true
	e, rounds := speedRatio(of, by)
	switch {
	case p == lab.Tiny:
		return c.NotMeasured(claims.SmallTables)
	case rounds == 0:
		return c.NotMeasured("The filter is missing.")
	case rounds < leastRounds:
		return c.NotMeasured(fmt.Sprintf("An interval of 95%% takes %d rounds, and these are %d.", leastRounds, rounds))
	}
	return judge(c, e)
}

// rounds are the speeds of the rounds of some groups of a series, of which the counts are added; none of no groups.
func (j speeds) rounds(groups []lab.Group) []float64 {
	if len(groups) == 0 {
		return nil
	}
	all := lab.Group{Rows: slices.Clone(groups[0].Rows)}
	for i := range all.Rows {
		var rows []lab.Row
		for _, g := range groups {
			rows = append(rows, g.Rows[i])
		}
		all.Rows[i].Counts = added(rows)
	}
	return all.Values(j.column)
}

func (j speeds) ratio(c claims.Claim, of, by func(*lab.Data) []lab.Group, judge rule) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		return []claims.Verdict{timed(c, d.Setup.Profile, j.rounds(of(d)), j.rounds(by(d)), judge)}
	}
}

func (j speeds) claim(id, says string, theirs float64) claims.Claim {
	return claims.Claim{ID: id, Says: says, Paper: fmt.Sprintf("%.3g", theirs), Source: j.source}
}

// flat compares the fullest third of a line with its emptiest.
func (j speeds) flat(series string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		groups := j.groups(d, series)
		slices.SortStableFunc(groups, func(a, b lab.Group) int { return cmp.Compare(j.place(a), j.place(b)) })
		third := (len(groups) + 2) / 3
		first, last := groups[:third], groups[len(groups)-third:]
		theirs := func(groups []lab.Group) (mean float64) {
			for _, g := range groups {
				mean += j.paper(series, j.place(g))
			}
			return mean / float64(len(groups))
		}
		c := j.claim(series+", "+j.what+", flat", series+": "+j.what+
			" are as fast in a full filter as in an empty one (fullest third over emptiest)", theirs(last)/theirs(first))
		return []claims.Verdict{timed(c, d.Setup.Profile, j.rounds(last), j.rounds(first), flat)}
	}
}

// along compares the speed at one place of a line with that at another, by a rule that is made of the paper's ratio.
func (j speeds) along(series string, of, by float64, judge func(theirs float64) rule) lab.Rule {
	theirs := j.paper(series, of) / j.paper(series, by)
	c := j.claim(fmt.Sprintf("%s, %s, %g%%", series, j.what, of),
		fmt.Sprintf("%s: speed of %s at %g%% over that at %g%%", series, j.what, of, by), theirs)
	return j.ratio(c, j.at(series, of), j.at(series, by), judge(theirs))
}

// ahead says of two filters at one place which is the faster.
func (j speeds) ahead(series, other string, x float64) lab.Rule {
	theirs := j.paper(other, x) / j.paper(series, x)
	c := j.claim(fmt.Sprintf("%s, %s and %s at %g%%", j.what, series, other, x),
		fmt.Sprintf("%s at %g%%: %s is faster than %s (speed of %s over that of %s)", j.what, x, series, other, other,
			series),
		theirs)
	return j.ratio(c, j.at(other, x), j.at(series, x), behind)
}

// shown makes the verdict of a rule one whose cause is shown, if a ratio of two speeds is as a rule has it.
func (j speeds) shown(r lab.Rule, of, by func(*lab.Data) []lab.Group, so rule, cause string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		e, rounds := speedRatio(j.rounds(of(d)), j.rounds(by(d)))
		ok := rounds >= leastRounds && so(claims.Claim{}, e).Status == claims.Holds
		return []claims.Verdict{r(d)[0].Shown(ok, fmt.Sprintf(cause, e.Value, e.Low, e.High))}
	}
}

// everywhere says that one filter is faster than another by more than so much, at each of these places.
func (j speeds) everywhere(c claims.Claim, series, other string, by float64, places ...float64) lab.Rule {
	c.ID, c.Machine = cmp.Or(c.ID, series+" over "+other), true
	c.Says = fmt.Sprintf("%s: %s is faster than %s, by more than %g of its speed: by how much more", j.what, series,
		other, by)
	for _, at := range places {
		c.Paper += fmt.Sprintf("%g%%: %.2f; ", at, j.paper(series, at)/j.paper(other, at)-1-by)
	}
	c.Paper = strings.TrimSuffix(c.Paper, "; ")
	return func(d *lab.Data) []claims.Verdict {
		var steps []claims.Step
		for _, at := range places {
			of, against := j.rounds(j.at(series, at)(d)), j.rounds(j.at(other, at)(d))
			if v := timed(c, d.Setup.Profile, of, against, flat); v.Status == claims.NotMeasured {
				return []claims.Verdict{v}
			}
			e, _ := speedRatio(of, against)
			more := claims.Estimate{Value: e.Value - 1 - by, Low: e.Low - 1 - by, High: e.High - 1 - by, Format: "%.2f"}
			steps = append(steps, claims.Step{Name: fmt.Sprintf("%g%%", at), Of: more})
		}
		return []claims.Verdict{c.Order(steps, "absolute speeds are another machine's")}
	}
}

func (j speeds) batches(series, open string) lab.Rule {
	c := claims.Ours(series+", batches", fmt.Sprintf("%s: lookups in batches of %d are faster than single ones, no query "+
		"positive (single over batches)", series, measure.Batch))
	c.Open = open
	return j.ratio(c, j.at(series, 0), j.batched(series, 0), behind)
}

// noneDenied counts the stored keys that filters of one's own deny. Of the others a denial ends the run with an error.
func noneDenied(asked, found string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		lost, all := 0, 0
		for _, g := range d.Where() {
			if g.Cell.Own() {
				lost, all = lost+max(0, g.Sum(asked)-g.Sum(found)), all+g.Sum(asked)
			}
		}
		if all == 0 {
			return nil
		}
		return []claims.Verdict{claims.NoneLost(lost, all)}
	}
}
