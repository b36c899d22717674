package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// Table returns the results as tidy columns, one row per trial: the series, the parameters, the trial and its seed, the
// counts, and what follows from them. A parameter that does not apply is empty, and so is what would follow from
// nothing.
func (d *Data) Table() report.Table {
	t := d.Experiment.table()
	for _, g := range d.Groups {
		for _, r := range g.Rows {
			t.Rows = append(t.Rows, r.cells())
		}
	}
	return t
}

// table is the table of no trials.
func (e *Experiment) table() report.Table {
	columns := strings.Fields("series " + e.Params + " trial seed " + e.Trial.Counts)
	for _, c := range e.Columns {
		columns = append(columns, c.Name)
	}
	return report.Table{Columns: columns, Timed: e.timed()}
}

// labels is how many columns of the table tell a row from the others: series, parameters, trial and seed.
func (e *Experiment) labels() int { return len(strings.Fields(e.Params)) + 3 }

// cells are those of the row in the table.
func (r Row) cells() []string {
	row := r.key()
	for _, n := range r.Counts {
		row = append(row, strconv.Itoa(n))
	}
	for _, c := range r.Experiment.Columns {
		row = append(row, report.Format(c.Of(r)))
	}
	return row
}

// key is the cells that tell the row from all others of its experiment: series, parameters, trial and seed. The seed is
// hexadecimal, because spreadsheets round integers beyond 2^53.
func (r Row) key() []string {
	return append(r.labels(), strconv.Itoa(r.Trial), fmt.Sprintf("0x%016x", r.Seed))
}

// labels are the series and the parameters. A parameter that does not apply is empty.
func (r Row) labels() []string { return append([]string{r.Series}, texts(r.Params)...) }

// Summary returns one row per job: the series, the parameters, the number of trials, and mean and standard deviation
// over the trials of each derived column. Trials of which a column has nothing are in neither: where there are any, a
// column tells how many there are of the others, "measured" if that is one number for all derived columns, and else
// "NAME_trials" behind each.
func (d *Data) Summary() report.Table {
	some := slices.DeleteFunc(slices.Clone(d.Groups), func(g Group) bool { return len(g.Rows) == 0 })
	derived := d.Experiment.Columns
	measured := make([][]int, len(derived)) // trials, by column and group
	whole := make([]int, len(some))
	for i, g := range some {
		whole[i] = len(g.Rows)
		for c, column := range derived {
			measured[c] = append(measured[c], len(g.values(column.Of)))
		}
	}
	gaps := func(c int) bool { return !slices.Equal(measured[c], whole) }
	alike := !slices.ContainsFunc(measured, func(m []int) bool { return !slices.Equal(m, measured[0]) })
	together := len(derived) > 0 && alike && gaps(0)

	t := report.Table{Columns: strings.Fields("series " + d.Experiment.Params + " trials")}
	if together {
		t.Columns = append(t.Columns, "measured")
	}
	for c, column := range derived {
		t.Columns = append(t.Columns, column.Name, column.Name+"_sd")
		if gaps(c) && !together {
			t.Columns = append(t.Columns, column.Name+"_trials")
		}
	}
	for i, g := range some {
		row := append(g.Rows[0].labels(), strconv.Itoa(whole[i]))
		if together {
			row = append(row, strconv.Itoa(measured[0][i]))
		}
		for c, column := range derived {
			mean, deviation := meanAndDeviation(g.values(column.Of))
			row = append(row, report.Format(mean), twoDigits(deviation))
			if gaps(c) && !together {
				row = append(row, strconv.Itoa(measured[c][i]))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// twoDigits writes a standard deviation with as many digits as mean something; NaN is empty.
func twoDigits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// meanAndDeviation are equal on every machine up to the last bits that report.Format drops: no product is fused with a
// sum. The deviation of one value is NaN.
func meanAndDeviation(xs []float64) (mean, deviation float64) {
	if len(xs) == 0 {
		return math.NaN(), math.NaN()
	}
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	sum := 0.0
	for _, x := range xs {
		sum += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(sum / float64(len(xs)-1))
}

// Sections returns the finding as sections of a report: one with everything, and one more for each further picture.
func (f Finding) Sections() []report.Section {
	a := f.Data.Experiment
	s := report.Section{
		ID: a.Name, Title: a.Title, Claim: a.Claim, Method: a.Method, Limits: a.Limits,
		Table: f.Data.Table(), Conditions: f.conditions(),
	}
	if len(a.Columns) > 0 {
		s.Summary = f.Data.Summary()
	}
	if len(f.Shown.Columns) > 0 {
		s.Summary = f.Shown
	}
	s.Verdicts = f.Verdicts
	out := []report.Section{s}
	for i, figure := range f.Figures {
		if i > 0 {
			out = append(out, report.Section{ID: figure.Name, Title: figure.Title, Conditions: "The table is that of " + a.Name})
		}
		out[i].Figure, out[i].Caption = figure, figure.Caption
	}
	return out
}

// conditions states what the numbers depend on.
func (f Finding) conditions() string {
	trials := 0
	var ranges []string
	for i, name := range strings.Fields(f.Data.Experiment.Params) {
		var values []Value
		for _, g := range f.Data.Groups {
			if v := g.Rows[0].Params[i]; v.Applies() {
				values = append(values, v)
			}
		}
		slices.SortFunc(values, func(a, b Value) int {
			return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Text, b.Text))
		})
		if values = slices.Compact(values); len(values) > 0 {
			ranges = append(ranges, name+" "+enumerate(values))
		}
	}
	for _, g := range f.Data.Groups {
		trials += len(g.Rows)
	}
	text := fmt.Sprintf("%d trials of %d choices of parameters: %s", trials, len(f.Data.Groups),
		strings.Join(ranges, "; "))
	if f.Repeats > 0 {
		text += fmt.Sprintf("; %d were repeated, as a control loop was slow before or behind them", f.Repeats)
	}
	return text
}

// enumerate writes sorted values: of many only the ends.
func enumerate(values []Value) string {
	if n := len(values); n > 12 {
		return fmt.Sprintf("%d values from %v to %v", n, values[0], values[n-1])
	}
	return strings.Join(texts(values), ", ")
}

// reportKind is in the manifest of a report of findings.
const reportKind = "reproduce"

// NewReport gathers findings into a report, timings into its bench.txt.
func NewReport(findings []Finding, o Options, timings []report.Bench) report.Report {
	r := report.Report{
		Kind:  reportKind,
		Title: "Cuckoo filters: the paper's figures, measured again",
		Summary: "The tables and figures of “Cuckoo Filter: Practically Better Than Bloom” (Fan, Andersen, Kaminsky " +
			"and Mitzenmacher, CoNEXT 2014), measured again with nest, the paper's own points beside ours, and what the paper " +
			"leaves out.",
		Profile: string(o.Profile),
		Seed:    o.Seed,
		Bench:   timings,

		Settings: o.settings(),
		Origins:  map[string][]report.Origin{},
	}
	for _, f := range findings {
		if own := f.Data.Setup.Own.names(); own != "" {
			r.Settings[settingOwn] = own
		}
		r.Sections = append(r.Sections, f.Sections()...)
		r.Origins[f.Data.Experiment.Name] = f.Origins
		if a := f.Data.Experiment; a.Revision != 0 {
			r.Settings[settingRevision+a.Name] = strconv.Itoa(a.Revision)
		}
	}
	r.Guide = guide(findings, o, r.Settings[settingOwn])
	return r
}

// counted notes that a run counted one of the trials.
func (f *Finding) counted(by *report.Manifest) {
	o := report.Origin{Module: by.Module.String(), Machine: by.Machine.String()}
	if was := by.Origins[f.Data.Experiment.Name]; len(was) > 0 {
		o = report.Origin{Module: was[0].Module, Machine: was[0].Machine}
		for _, other := range was[1:] { // which of them it was is not known
			o.Module, o.Machine = o.Module+" or "+other.Module, o.Machine+" or "+other.Machine
		}
	}
	same := func(was report.Origin) bool { return was.Module == o.Module && was.Machine == o.Machine }
	at := slices.IndexFunc(f.Origins, same)
	if at < 0 {
		at, f.Origins = len(f.Origins), append(f.Origins, o)
	}
	f.Origins[at].Trials++
	f.Trials++
}

// Summary counts the verdicts, those on the paper's claims apart from those of our own checks.
func Summary(findings []Finding) string {
	var all []claims.Verdict
	for _, f := range findings {
		all = append(all, f.Verdicts...)
	}
	return claims.Summary(all)
}

// Failed returns the verdicts that are defects, each with the name of its experiment in front.
func Failed(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		for _, v := range f.Verdicts {
			if v.Failed() {
				out = append(out, fmt.Sprintf("%s: %s: paper %s, ours %s, tolerance %s",
					f.Data.Experiment.Name, v.Says, v.Paper, v.Ours, v.Tolerance))
			}
		}
	}
	return out
}
