package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// tableData makes results of a table whose counts a function decides.
func tableData(e *lab.Experiment, p lab.Profile, kinds []catalogue.Entry, q, trials int, count func(name,
	column string) int) *lab.Data {
	d := &lab.Data{Experiment: e, Setup: lab.Setup{Profile: p}}
	for _, k := range kinds {
		g := lab.Group{Series: k.Name}
		for range trials {
			r := lab.Row{Series: k.Name, Params: lab.IntValues(1 << q), Experiment: d.Experiment}
			for _, c := range strings.Fields(d.Experiment.Trial.Counts) {
				r.Counts = append(r.Counts, count(k.Name, c))
			}
			g.Rows = append(g.Rows, r)
		}
		d.Groups = append(d.Groups, g)
	}
	return d
}

// paperCounts are counts as the paper's Table 3 and formulas have them, with our two known differences.
func paperCounts(name, column string) int {
	const probes = 10_000_000
	k, _ := catalogue.Find(name)
	items := int(table3Paper[name].items * 1e6)
	if name == "CBF" {
		items = k.Items(catalogue.PaperSlots)
	}
	touches := map[string][2]int{"CF": {2, 2}, "ss-CF": {2, 2}, "BF": {9, 2}, "blk-BF": {1, 1}, "CBF": {9, 2},
		"dl-CBF": {4, 4}, "QF": {2, 2}}[name]
	const traced = 1 << 20
	deletes := 0
	if table1Paper[name].deletes {
		deletes = 1
	}
	return map[string]int{
		"items": items, "size_bytes": catalogue.SlotBits << catalogue.PaperSlots / 8, "probes": probes,
		"false_positives": int(k.Predict(catalogue.PaperSlots, items) * probes), "traced": traced,
		"positive_references": touches[0] * traced, "positive_lines": touches[0] * traced,
		"negative_references": touches[1] * traced, "negative_lines": touches[1] * traced,
		"deleted": deletes * (items / 2), "kept": deletes * (items - items/2), "kept_found": deletes * (items - items/2),
		"build_ns": int(1000 * float64(items) / max(1, table3Paper[name].speed)),
	}[column]
}

// but returns the claims of the verdicts that are not of the given status.
func but(verdicts []claims.Verdict, status claims.Status) (claims []string) {
	for _, v := range verdicts {
		if v.Status != status {
			claims = append(claims, v.ID)
		}
	}
	return claims
}

// TestTables_JudgeThePapersNumbers judges the paper's own numbers: they hold, but for what is known to differ.
func TestTables_JudgeThePapersNumbers(t *testing.T) {
	lab.PaperNeeds64(t)
	for _, c := range []struct {
		e     *lab.Experiment
		kinds []catalogue.Entry
		but   []string // beginnings of the claims that do not hold
	}{
		{Properties(), table1Kinds(), []string{"blk-BF, space"}},
		{LookupCost(), table2Kinds(), nil},
		{SpaceAndSpeed(), catalogue.Table3(), []string{"blk-BF, rate", "dl-CBF, rate"}},
	} {
		d := tableData(c.e, lab.Paper, c.kinds, catalogue.PaperSlots, 6, paperCounts)
		verdicts := c.e.Judge(d)
		got := but(verdicts, claims.Holds)
		got = slices.DeleteFunc(got, func(claim string) bool {
			return slices.ContainsFunc(c.but, func(b string) bool { return strings.HasPrefix(claim, b) })
		})
		if len(got) > 0 || len(failedOf(verdicts)) > 0 {
			t.Errorf("%s: %q do not hold, %q failed", d.Experiment.Name, got, failedOf(verdicts))
		}
		if s := c.e.Table(d); len(s.Rows) != len(c.kinds) {
			t.Errorf("%s: %d rows shown", d.Experiment.Name, len(s.Rows))
		} else if _, err := s.CSV(); err != nil {
			t.Error(err)
		}
	}
}

func failedOf(verdicts []claims.Verdict) (claims []string) {
	for _, v := range verdicts {
		if v.Failed() {
			claims = append(claims, v.ID)
		}
	}
	return claims
}

// TestTables_JudgeDefects changes one count of one filter: the verdict on that, and no other, fails.
func TestTables_JudgeDefects(t *testing.T) {
	lab.PaperNeeds64(t)
	for _, c := range []struct {
		e            *lab.Experiment
		kinds        []catalogue.Entry
		name, column string
		value        int
		want         string
	}{
		{Properties(), table1Kinds(), "CF", "false_positives", 40_000, "CF, space"},
		{Properties(), table1Kinds(), "dl-CBF", "false_positives", 1_200_000, "dl-CBF, space"},
		{Properties(), table1Kinds(), "blk-BF", "false_positives", 50_000, "blk-BF, space"},
		{Properties(), table1Kinds(), "QF", "kept_found", 5, "deletion"},
		{Properties(), table1Kinds(), "dl-CBF", "deleted", 0, "deletion"},
		{Properties(), table1Kinds(), "CF", "deleted_found", 1_000_000, "CF, deletion"},
		{Properties(), table1Kinds(), "CF", "lost", 1, "CF, deletion"},
		{Properties(), table1Kinds(), "BF", "lost", 1, "deletion"},
		{LookupCost(), table2Kinds(), "CF", "items", 125_000_000, "CF, load"},
		{LookupCost(), table2Kinds(), "ss-CF", "items", 131_000_000, "ss-CF, load"},
		{SpaceAndSpeed(), catalogue.Table3(), "CF", "false_positives", 20_500, "CF, rate"},
		{SpaceAndSpeed(), catalogue.Table3(), "ss-CF", "false_positives", 10_500, "ss-CF, rate"},
		{SpaceAndSpeed(), catalogue.Table3(), "BF", "false_positives", 20_500, "BF, rate"},
		{SpaceAndSpeed(), catalogue.Table3(), "blk-BF", "false_positives", 30_000, "blk-BF, rate"},
		// neither the paper's nor of independent bits
		{SpaceAndSpeed(), catalogue.Table3(), "QF", "false_positives", 19_500, "QF, rate"},
		{SpaceAndSpeed(), catalogue.Table3(), "CF", "items", 125_000_000, "CF, space"},
		{SpaceAndSpeed(), catalogue.Table3(), "ss-CF", "items", 125_000_000, "ss-CF, space"},
		{SpaceAndSpeed(), catalogue.Table3(), "dl-CBF", "items", 110_000_000, "dl-CBF, space"},
		{SpaceAndSpeed(), catalogue.Table3(), "dl-CBF", "false_positives", 76_000, "predicted rates"},
		{SpaceAndSpeed(), catalogue.Table3(), "CF", "items", 120_000_000, "CF and BF, space"},
	} {
		d := tableData(c.e, lab.Paper, c.kinds, catalogue.PaperSlots, 6, func(name, column string) int {
			if name == c.name && column == c.column {
				return c.value
			}
			return paperCounts(name, column)
		})
		failed := failedOf(c.e.Judge(d))
		if !slices.Contains(failed, c.want) {
			t.Errorf("%s, %s: %s = %d: failed %q, want %q", d.Experiment.Name, c.name, c.column, c.value, failed, c.want)
		}
	}
}

// TestTable3_SpeedNeverFails turns the order of speeds around, or disturbs one: the verdicts follow, and none is a
// failure.
func TestTable3_SpeedNeverFails(t *testing.T) {
	lab.PaperNeeds64(t)
	round := 0
	for name, c := range map[string]struct {
		buildNS func(name string, n int) int
		want    map[string]claims.Status
	}{
		"order turned around": {
			func(name string, _ int) int {
				return int(float64(paperCounts(name, "items")) * 200 * table3Paper[name].speed)
			},
			map[string]claims.Status{"ss-CF": claims.Unexplained, "BF": claims.Unexplained, "blk-BF": claims.Unexplained,
				"QF": claims.Unexplained, "dl-CBF": claims.Holds},
		},
		"d-left slow": {
			func(name string, n int) int { return n * map[bool]int{true: 2, false: 1}[name == "dl-CBF"] },
			map[string]claims.Status{"dl-CBF": claims.Unexplained, "BF": claims.Holds, "blk-BF": claims.Holds,
				"QF": claims.Holds, "ss-CF": claims.Holds},
		},
		"d-left disturbed": {
			func(name string, n int) int {
				if name == "dl-CBF" {
					round++
					n *= 1 + round%2
				}
				return n
			},
			map[string]claims.Status{"dl-CBF": claims.Undecided},
		},
	} {
		d := tableData(SpaceAndSpeed(), lab.Paper, catalogue.Table3(), catalogue.PaperSlots, 6,
			func(name, column string) int {
				n := paperCounts(name, column)
				if column == "build_ns" {
					n = c.buildNS(name, n)
				}
				return n
			})
		for _, v := range (SpaceAndSpeed()).Judge(d) {
			series, speed := strings.CutSuffix(v.ID, ", construction")
			if want, ok := c.want[series]; speed && ok && (v.Status != want || v.Failed()) {
				t.Errorf("%s: %+v, want %v", name, v, want)
			}
		}
	}
}

// The paper's number follows from an odd second hash, and from nothing else that was tried.
func TestBlockBits_EachVerdictCanFail(t *testing.T) {
	good := func(r lab.Row) []int {
		rate := exactBlockRate(lab.Group{Series: r.Series, Rows: []lab.Row{{Cell: r.Cell,
			Counts: []int{blockCount * blockBits / r.Params[0].Int()}, Experiment: r.Experiment}}})
		const probes = 1 << 24
		return []int{blockCount * blockBits / r.Params[0].Int(), probes, int(rate * probes * (1 + 0.01*float64(r.Trial%3-1)))}
	}
	expectFailures(t, BlockBits(), good, map[string]damage{
		"independent ones differ": {func(r lab.Row,
			c []int) {
			c[2] += c[2] / 20 * map[bool]int{true: 1}[r.Series == "independent bits"]
		}, []int{0}},
		"odd ones differ": {func(r lab.Row,
			c []int) {
			c[2] += c[2] / 10 * map[bool]int{true: 1}[strings.Contains(r.Series, "odd")]
		}, []int{1, 2}},
		"any ones differ": {func(r lab.Row,
			c []int) {
			c[2] += c[2] / 20 * map[bool]int{true: 1}[strings.Contains(r.Series, "any")]
		}, []int{3}},
	})
}
