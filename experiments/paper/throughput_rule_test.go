package paper

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
)

// repeated is a ratio over so many rounds of which one is another.
func repeated(n int, x, odd float64) speedRatio {
	xs, ones := slices.Repeat([]float64{x}, n), slices.Repeat([]float64{1}, n)
	xs[n-1] = odd
	return ratioOf(xs, ones)
}

func TestSpan_Statuses(t *testing.T) {
	near := span{0.5, 2}
	for name, c := range map[string]struct {
		s    span
		r    speedRatio
		want claims.Status
	}{
		"inside":                    {near, repeated(6, 1, 1.9), claims.Holds},
		"above":                     {near, repeated(6, 2.1, 9), claims.Unexplained},
		"below":                     {near, repeated(6, 0.49, 0.1), claims.Unexplained},
		"over the upper end":        {near, repeated(6, 1, 2.1), claims.Undecided},
		"median outside":            {near, repeated(6, 2.1, 1.9), claims.Undecided},
		"over both ends":            {near, ratioOf([]float64{0.1, 1, 1, 1, 1, 9}, []float64{1, 1, 1, 1, 1, 1}), claims.Undecided},
		"on the end":                {near, repeated(6, 2, 2), claims.Undecided},
		"faster":                    {faster, repeated(6, 1.1, 5), claims.Holds},
		"slower":                    {faster, repeated(6, 0.9, 0.8), claims.Unexplained},
		"equal":                     {faster, repeated(6, 1, 1), claims.Undecided},
		"five rounds":               {near, repeated(5, 1, 1), claims.Undecided},
		"one of nine rounds is off": {near, repeated(9, 1, 7), claims.Holds},
		"no rounds":                 {near, speedRatio{}, claims.Undecided},
		"no number":                 {near, repeated(6, math.NaN(), math.NaN()), claims.Undecided},
	} {
		if got := c.s.status(c.r); got != c.want {
			t.Errorf("%s: %v is %v, want %v", name, c.r, got, c.want)
		}
	}
}

func TestSharedStatus_DiffersIfOneDoes(t *testing.T) {
	const h, d, u = claims.Holds, claims.Unexplained, claims.Undecided
	for _, c := range []struct {
		all  []claims.Status
		want claims.Status
	}{{[]claims.Status{h, h}, h}, {[]claims.Status{h, u, h}, u}, {[]claims.Status{u, h, d}, d}} {
		if got := sharedStatus(c.all); got != c.want {
			t.Errorf("%v: %v, want %v", c.all, got, c.want)
		}
	}
}

// verdictOn returns the only verdict whose claim begins so, on made-up data.
func verdictOn(t *testing.T, figure int, claim string, damage func(r lab.Row, counts []int)) claims.Verdict {
	t.Helper()
	e, good := throughputFigures[figure], speedsOfPaper(figure)
	vs := e.Judge(labtest.Planned(t, e, lab.Quick, func(r lab.Row) []int {
		counts := good(r)
		damage(r, counts)
		return counts
	}))
	vs = slices.DeleteFunc(vs, func(v claims.Verdict) bool { return !strings.HasPrefix(v.Says, claim) })
	if len(vs) != 1 {
		t.Fatalf("figure %d: %d claims begin with %q, want 1", figure, len(vs), claim)
	}
	return vs[0]
}

// A reason is that of one claim, and of differences in one direction; whatever else is slow has none.
func TestThroughput_ReasonsAreOfTheClaim(t *testing.T) {
	blocked := func(times func(r lab.Row) float64, columns ...int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Series == "blk-BF" {
				for _, c := range columns {
					counts[c] = int(times(r) * float64(counts[c]))
				}
			}
		}
	}
	absent := func(at float64) float64 { return paperAt(percents(claims.PaperPoints(6, "negative", "blk-BF")), at) }
	// flattened makes lookups of absent keys as fast at any occupancy, up to a power of the occupancy.
	flattened := func(power float64) func(lab.Row, []int) {
		return blocked(func(r lab.Row) float64 {
			at := float64(r.Param("occupancy_permille")) / 10
			return absent(at) / absent(2.5) * math.Pow(2.5/at, power)
		}, 5)
	}
	for name, c := range map[string]struct {
		figure int
		claim  string
		damage func(lab.Row, []int)
		known  bool
	}{
		"inserts slow from 80% on":   {7, "blk-BF: inserts", blocked(func(r lab.Row) float64 { return 1 + 4*lab.Quotient(r.Param("to_permille")/800, 1) }, 3), false},
		"lookups flat":               {6, "blk-BF, absent", flattened(0), true},
		"lookups twice as fast full": {6, "blk-BF, absent", flattened(0.2), false},
		"lookups very slow full":     {6, "blk-BF, absent", flattened(-0.5), false},
		"as slow as the text":        {5, "dl-CBF over BF", func(lab.Row, []int) {}, true},
		"slower than the text": {5, "dl-CBF over BF", func(r lab.Row, counts []int) {
			if r.Series == "dl-CBF" {
				counts[4] *= 5
			}
		}, false},
		"blocked Bloom fast on positives": {5, "CF over blk-BF", blocked(func(lab.Row) float64 { return 0.5 }, 4), false},
	} {
		v := verdictOn(t, c.figure, c.claim, c.damage)
		if v.Status != map[bool]claims.Status{true: claims.Differs, false: claims.Unexplained}[c.known] || c.known == (v.Why == notExamined) || v.Failed() {
			t.Errorf("%s: %v: ours %s (%s), tolerance %s: %s", name, v.Status, v.Ours, v.Interval, v.Tolerance, v.Why)
		}
	}
}

// Two disturbed rounds of nine leave every claim that they touch undecided, and none of the others; one is tolerated.
func TestThroughput_NoiseIsUndecided(t *testing.T) {
	several := func(rounds int, series string, when func(r lab.Row) bool, column int) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Series == series && r.Trial < rounds && when(r) {
				counts[column] *= 4
			}
		}
	}
	disturbed := func(series string, when func(r lab.Row) bool, column int) func(lab.Row, []int) {
		return several(2, series, when, column)
	}
	step := func(n int) func(lab.Row) bool {
		return func(r lab.Row) bool { return r.Param("step") == n && r.Param("batch") == 0 }
	}
	for _, c := range []struct {
		figure int
		claim  string
		damage func(lab.Row, []int)
		want   claims.Status
	}{
		{5, "CF: lookups are", disturbed("CF", step(1), 4), claims.Undecided},
		{5, "CF: lookups are", several(1, "CF", step(1), 4), claims.Holds},
		{5, "ss-CF: lookups are", disturbed("ss-CF", step(3), 4), claims.Undecided},
		{5, "ss-CF: lookups are", disturbed("CF", step(3), 4), claims.Holds},
		{5, "QF: speed at", disturbed("QF", step(5), 4), claims.Undecided},
		{5, "CF over BF", disturbed("CF", step(5), 4), claims.Undecided},
		{5, "Order", disturbed("CF", step(5), 4), claims.Undecided},
		{5, "Order", disturbed("CF", step(1), 4), claims.Holds},
		{8, "ss-CF: deletes", disturbed("ss-CF", func(r lab.Row) bool { return r.Param("from_permille") > 600 }, 4), claims.Undecided},
	} {
		v := verdictOn(t, c.figure, c.claim, c.damage)
		if v.Status != c.want || c.want == claims.Undecided && (v.Why != reachesOver || v.Interval == "") {
			t.Errorf("figure %d: %s: %v, want %v: ours %s (%s), tolerance %s: %s", c.figure, v.Says, v.Status, c.want, v.Ours, v.Interval, v.Tolerance, v.Why)
		}
	}
}

// A slowed end of a line that should be flat differs, semi-sorted filters included.
func TestThroughput_SortedLinesCanDiffer(t *testing.T) {
	slow := func(column int, when func(r lab.Row) bool) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Series == "ss-CF" && when(r) {
				counts[column] *= 3
			}
		}
	}
	full := func(r lab.Row) bool { return r.Param("occupancy_permille") > 800 }
	for _, c := range []struct {
		figure int
		claim  string
		damage func(lab.Row, []int)
	}{
		{5, "ss-CF: lookups are", slow(4, func(r lab.Row) bool { return r.Param("step") == 1 })},
		{6, "ss-CF, absent keys: lookups are", slow(5, full)},
		{6, "ss-CF, stored keys: lookups are", slow(6, full)},
		{8, "ss-CF: deletes are", slow(4, func(r lab.Row) bool { return r.Param("from_permille") > 800 })},
	} {
		if v := verdictOn(t, c.figure, c.claim, c.damage); v.Status != claims.Unexplained || v.Why != notExamined {
			t.Errorf("figure %d: %s: %v, ours %s (%s): %s", c.figure, v.Says, v.Status, v.Ours, v.Interval, v.Why)
		}
	}
}

// The largest ratio of two pieces is never below 1, nor is its interval, whatever the noise, and no order of the pieces
// changes it.
func TestSpread_IsAtLeast1(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 1))
	about := lab.About{Counts: []string{"lookups", "ns"}}
	j := speedJudge{axis: speedAxis{of: "lookups", by: "ns", x: func(lab.Group) float64 { return 0 }}}
	for range 500 {
		groups := make([]lab.Group, 1+random.IntN(5))
		for i := range groups {
			for range 6 {
				groups[i].Rows = append(groups[i].Rows, lab.Row{About: &about, Counts: []int{1000, 500 + random.IntN(1000)}})
			}
		}
		r, top, bottom := j.spread(groups)
		if pair := j.over(&top, &bottom); r.median < 1 || r.lo < 1 || r.hi < r.median || r.lo > r.median || pair.median != r.median {
			t.Fatalf("seed %d: %+v, and its pieces %+v", seed, r, pair)
		}
		slices.Reverse(groups)
		if again, _, _ := j.spread(groups); again != r {
			t.Fatalf("seed %d: %+v, in reverse %+v", seed, r, again)
		}
	}
}

func TestTable3_SpeedNearOneIsUndecided(t *testing.T) {
	labtest.PaperNeeds64(t)
	round := 0
	d := tableData(SpaceAndSpeed{}, lab.Paper, catalogue.Six(), catalogue.PaperSlots, 6, func(name, column string) int {
		n := paperCounts(name, column)
		if name == "dl-CBF" && column == "build_ns" {
			round++
			n += n / 20 * (round%2*4 - 2) // a tenth more or less than 1.05 of CF's
		}
		return n
	})
	for _, v := range (SpaceAndSpeed{}).Judge(d) {
		if strings.HasPrefix(v.Says, "dl-CBF: construction") && (v.Status != claims.Undecided || v.Why != reachesOver || v.Ours == "-") {
			t.Errorf("%+v", v)
		}
	}
}
