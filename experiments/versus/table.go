package versus

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// deleteChecks are the checks of the kit that are about Delete.
var deleteChecks = []string{"delete", "operations", "duplicates", "saturation", "absent-delete"}

// measure returns a measure of a check, NaN if it was not taken.
func (r *Result) measure(check, name string) float64 {
	f, _ := r.Report.Finding(check)
	if v, ok := f.Measures[name]; ok {
		return v
	}
	return math.NaN()
}

// refusedFound returns how many of how many refused keys were found afterwards, NaN if none was refused.
func (r *Result) refusedFound() (found, of float64) {
	if of = r.measure("refusal", "refusals"); of == 0 {
		of = math.NaN()
	}
	return r.measure("refusal", "kept-keys"), of
}

// claimed returns the claimed rate, NaN if none is.
func (r *Result) claimed() float64 { return cmp.Or(r.Adapter.TargetRate, math.NaN()) }

// deletes returns how many checks of Delete passed, of those that were made.
func (r *Result) deletes() (passed, of int) {
	for _, name := range deleteChecks {
		f, ok := r.Report.Finding(name)
		if !ok || f.Status == filtertest.Skipped {
			continue
		}
		of++
		if f.Status == filtertest.Passed {
			passed++
		}
	}
	return passed, of
}

// failedChecks returns the names of the checks that failed.
func (r *Result) failedChecks() []string {
	var names []string
	for _, f := range r.Report.Failed() {
		names = append(names, f.Check)
	}
	return names
}

// version returns the version for people.
func (r *Result) version() string { return cmp.Or(r.Version, "unknown") }

// measured returns the day on which a kept row was measured, or other for a result of Run.
func (r *Result) measured(other string) string {
	if r.Kept == nil {
		return other
	}
	return r.Kept.Measured
}

// Overview is the table that people read, one row for each filter and capacity.
func Overview(results []Result) *tabular.Table {
	t := &tabular.Table{Left: 4, Header: []string{
		"module", "version", "measured", "filter", "capacity", "taken at first refusal", "lost keys", "refused keys found",
		"rate claimed", "rate measured", "checks of Delete passed", "failed checks",
	}}
	for i := range results {
		r := &results[i]
		found, refused := r.refusedFound()
		deletes := "no Delete"
		if passed, of := r.deletes(); of > 0 {
			deletes = fmt.Sprintf("%d of %d", passed, of)
		}
		t.Rows = append(t.Rows, []string{
			r.Module, r.version(), r.measured("by this command"), r.Adapter.Name, fmt.Sprint(r.Capacity),
			orElse("none refused", r.measure("capacity", "first-refusal"), count),
			share(r.measure("overfilling", "lost"), r.measure("overfilling", "accepted")),
			share(found, refused),
			orElse("none", r.claimed(), percent), orElse("-", r.measure("rate", "rate"), percent),
			deletes, cmp.Or(strings.Join(r.failedChecks(), ", "), "none"),
		})
	}
	return t
}

func count(v float64) string   { return fmt.Sprint(int(v)) }
func percent(v float64) string { return stat.Digits(100*v, 3) + "%" }

// orElse formats v, and writes other for NaN.
func orElse(other string, v float64, format func(float64) string) string {
	if math.IsNaN(v) {
		return other
	}
	return format(v)
}

// share writes "12 of 345", "-" if either is NaN.
func share(part, of float64) string {
	if math.IsNaN(part) || math.IsNaN(of) {
		return "-"
	}
	return fmt.Sprintf("%.0f of %.0f", part, of)
}

// OverviewData is the overview as tidy columns; what was not measured is empty, and so is the day of rows
// that are not kept ones.
func OverviewData(results []Result) report.Table {
	t := report.Table{Columns: []string{
		"module", "version", "kept", "filter", "capacity", "taken_at_first_refusal", "accepted", "lost", "refusals", "refused_found",
		"rate_claimed", "rate_measured", "rate_queries", "delete_checks_passed", "delete_checks", "failed_checks",
	}}
	for i := range results {
		r := &results[i]
		found, refused := r.refusedFound()
		passed, of := r.deletes()
		t.Add(r.Module, r.version(), r.measured(""), r.Adapter.Name, r.Capacity, r.measure("capacity", "first-refusal"),
			r.measure("overfilling", "accepted"), r.measure("overfilling", "lost"), refused, found,
			r.claimed(), r.measure("rate", "rate"), r.measure("rate", "queries"), passed, of,
			strings.Join(r.failedChecks(), " "))
	}
	return t
}

// FindingsData has one row for each filter, capacity and check.
func FindingsData(results []Result) report.Table {
	t := report.Table{Columns: []string{"module", "version", "filter", "capacity", "check", "status", "evidence"}}
	for _, r := range results {
		for _, f := range r.Report.Findings {
			t.Add(r.Module, r.version(), r.Adapter.Name, r.Capacity, f.Check, f.Status, f.Evidence)
		}
	}
	return t
}

// FillingData has one row for each filter, capacity and step of the filling.
func FillingData(results []Result) report.Table {
	t := report.Table{Columns: []string{"module", "version", "filter", "capacity", "offered", "accepted", "lost", "lost_per_1000"}}
	for _, r := range results {
		for _, p := range r.Filling {
			t.Add(r.Module, r.version(), r.Adapter.Name, r.Capacity, p.Offered, p.Accepted, p.Lost, p.PerThousand())
		}
	}
	return t
}

// capacities returns the capacities of the results, in order.
func capacities(results []Result) []int {
	var all []int
	for i := range results {
		all = append(all, results[i].Capacity)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
