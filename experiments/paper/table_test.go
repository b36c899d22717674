package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
)

// tableData makes results of a table whose counts a function decides.
func tableData(e lab.Experiment, p lab.Profile, kinds []catalogue.Kind, q, trials int, count func(name, column string) int) *lab.Data {
	d := &lab.Data{About: e.About(), Setup: lab.Setup{Profile: p}}
	for _, k := range kinds {
		g := lab.Group{Series: k.Name}
		for range trials {
			r := lab.Row{Series: k.Name, Params: lab.Ints(1 << q), About: &d.About}
			for _, c := range d.About.Counts {
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
	k, _ := catalogue.Named(name)
	items := int(table3Paper[name].items * 1e6)
	if name == "CBF" {
		items = k.Items(catalogue.PaperSlots)
	}
	touches := map[string][2]int{"CF": {2, 2}, "ss-CF": {2, 2}, "BF": {9, 2}, "blk-BF": {1, 1}, "CBF": {9, 2}, "dl-CBF": {4, 4}, "QF": {2, 2}}[name]
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
			claims = append(claims, v.Says)
		}
	}
	return claims
}

// TestTables_JudgeThePapersNumbers judges the paper's own numbers: they hold, but for what is known to differ.
func TestTables_JudgeThePapersNumbers(t *testing.T) {
	labtest.PaperNeeds64(t)
	for _, c := range []struct {
		e     lab.Experiment
		kinds []catalogue.Kind
		but   []string // beginnings of the claims that do not hold
	}{
		{Properties{}, table1Kinds(), []string{"blk-BF: space"}},
		{LookupCost{}, table2Kinds(), nil},
		{SpaceAndSpeed{}, catalogue.Six(), []string{"blk-BF: false-positive", "dl-CBF: false-positive"}},
	} {
		d := tableData(c.e, lab.Paper, c.kinds, catalogue.PaperSlots, 6, paperCounts)
		verdicts := c.e.Judge(d)
		got := but(verdicts, claims.Holds)
		got = slices.DeleteFunc(got, func(claim string) bool {
			return slices.ContainsFunc(c.but, func(b string) bool { return strings.HasPrefix(claim, b) })
		})
		if len(got) > 0 || len(failedOf(verdicts)) > 0 {
			t.Errorf("%s: %q do not hold, %q failed", d.About.Name, got, failedOf(verdicts))
		}
		if s := c.e.(lab.Tabulator).Shown(d); len(s.Rows) != len(c.kinds) {
			t.Errorf("%s: %d rows shown", d.About.Name, len(s.Rows))
		} else if _, err := s.CSV(); err != nil {
			t.Error(err)
		}
	}
}

func failedOf(verdicts []claims.Verdict) (claims []string) {
	for _, v := range verdicts {
		if v.Failed() {
			claims = append(claims, v.Says)
		}
	}
	return claims
}

// TestTables_JudgeDefects changes one count of one filter: the verdict on that, and no other, fails.
func TestTables_JudgeDefects(t *testing.T) {
	labtest.PaperNeeds64(t)
	for _, c := range []struct {
		e            lab.Experiment
		kinds        []catalogue.Kind
		name, column string
		value        int
		want         string
	}{
		{Properties{}, table1Kinds(), "CF", "false_positives", 40_000, "CF: space over"},
		{Properties{}, table1Kinds(), "blk-BF", "negative_lines", 2 << 20, "blk-BF: cache lines"},
		{Properties{}, table1Kinds(), "QF", "kept_found", 5, "QF: deletion"},
		{Properties{}, table1Kinds(), "dl-CBF", "deleted", 0, "dl-CBF: deletion"},
		{Properties{}, table1Kinds(), "CF", "lost", 1, "No key"},
		{LookupCost{}, table2Kinds(), "CF", "negative_references", 3 << 20, "CF: memory references for an absent"},
		{LookupCost{}, table2Kinds(), "BF", "negative_references", 3 << 20, "BF: memory references for an absent"},
		{LookupCost{}, table2Kinds(), "BF", "positive_references", 8 << 20, "BF: memory references for a key"},
		{LookupCost{}, table2Kinds(), "BF", "false_positives", 40_000, "BF: bits per item"},
		{SpaceAndSpeed{}, catalogue.Six(), "QF", "false_positives", 19_500, "QF: false-positive rate"},
		{SpaceAndSpeed{}, catalogue.Six(), "QF", "size_bytes", 202_000_000, "QF: bits per item"},
		{SpaceAndSpeed{}, catalogue.Six(), "CF", "items", 125_000_000, "CF: bits per item"},
		{SpaceAndSpeed{}, catalogue.Six(), "dl-CBF", "false_positives", 76_000, "Each filter's"},
	} {
		d := tableData(c.e, lab.Paper, c.kinds, catalogue.PaperSlots, 6, func(name, column string) int {
			if name == c.name && column == c.column {
				return c.value
			}
			return paperCounts(name, column)
		})
		failed := failedOf(c.e.Judge(d))
		if !slices.ContainsFunc(failed, func(claim string) bool { return strings.HasPrefix(claim, c.want) }) {
			t.Errorf("%s, %s: %s = %d: failed %q, want %q", d.About.Name, c.name, c.column, c.value, failed, c.want)
		}
	}
}

// TestTable3_SpeedNeverFails turns the order of speeds around: the verdicts differ, and none is a failure.
func TestTable3_SpeedNeverFails(t *testing.T) {
	labtest.PaperNeeds64(t)
	d := tableData(SpaceAndSpeed{}, lab.Paper, catalogue.Six(), catalogue.PaperSlots, 6, func(name, column string) int {
		if column == "build_ns" {
			return int(float64(paperCounts(name, "items")) * 200 * table3Paper[name].speed)
		}
		return paperCounts(name, column)
	})
	differ := 0
	for _, v := range (SpaceAndSpeed{}).Judge(d) {
		if strings.Contains(v.Says, "construction speed") && v.Status == claims.Unexplained {
			differ++
		}
		if v.Failed() {
			t.Errorf("%q failed: %s", v.Says, v.Ours)
		}
	}
	if differ != len(catalogue.Six())-1 {
		t.Errorf("%d speeds differ, want all %d", differ, len(catalogue.Six())-1)
	}
}
