package report

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// A Report is what a run of experiments has to say. Text is plain, never markup.
type Report struct {
	// Kind names what made the report, for the manifest: "reproduce". Empty if nobody will ask.
	Kind  string
	Title string
	// what the report is, or its answer, in a sentence or two: shown first, and the number of verdicts behind it
	Summary string
	Profile string // "quick", "paper"; empty if there is none
	Seed    uint64
	// Settings, for the manifest, are what the results depend on besides profile and seed.
	Settings map[string]string
	// Origins, for the manifest, say by the names of experiments what counted their trials.
	Origins map[string][]Origin
	// Guide is the file REPRODUCING.md, for people who want to check the report; nil writes none.
	Guide []byte
	// Machine defaults to ThisMachine.
	Machine  Machine
	Sections []Section
	Bench    []Bench // timings for bench.txt; without any the file is not written
}

// A Section is one experiment: its claim, the verdict, and the evidence below.
type Section struct {
	ID    string // stem of its files, "fig3"
	Title string
	Claim string // what the paper, or we, say; shown first

	Verdicts []claims.Verdict

	// Figure may be nil. An empty Name becomes the ID.
	Figure     *chart.Figure
	Caption    string // what the picture shows
	Conditions string // n, trials and what else a number depends on; seed and machine are added

	Method string
	// Table holds every observation: it becomes the CSV.
	Table Table
	// Summary, if it has columns, is what a reader is shown first and what the LaTeX table is made of:
	// one row for each choice of parameters, say. It follows from Table, so it has no file of its own.
	Summary Table
	Limits  []string // what this does not show
}

func (r *Report) verdicts() (all []claims.Verdict) {
	for _, s := range r.Sections {
		all = append(all, s.Verdicts...)
	}
	return all
}

// Check returns all that keeps the report from being written, joined: IDs that are no file stems
// or come twice, rows that do not fit their columns, verdicts without a reason, figures that cannot be drawn.
func (r *Report) Check() error {
	var errs []error
	ids := map[string]bool{verdictsID: true}
	for i := range r.Sections {
		s := &r.Sections[i]
		fail := func(err error) {
			if err != nil {
				errs = append(errs, fmt.Errorf("report: section %q: %w", s.ID, err))
			}
		}
		if ids[s.ID] {
			fail(errors.New("the ID comes twice, or is that of the table of all verdicts"))
		}
		ids[s.ID] = true
		fail(s.figure().Check())
		fail(s.Table.check())
		fail(s.Summary.check())
		for _, v := range s.Verdicts {
			if v.Status != claims.Holds && v.Why == "" {
				fail(fmt.Errorf("verdict %q: %v, and no reason why", v.Says, v.Status))
			}
		}
	}
	return errors.Join(errs...)
}

// figure returns the section's figure with its name, or an empty one that stands for none: it passes
// Check if and only if the ID is a file stem.
func (s *Section) figure() *chart.Figure {
	f := chart.Figure{Name: s.ID, Panels: []chart.Panel{{}}}
	if s.Figure != nil {
		f = *s.Figure
		f.Name = cmp.Or(f.Name, s.ID)
	}
	f.Caption = cmp.Or(f.Caption, s.Caption)
	return &f
}

// verdictsID is the stem of the files that list the verdicts of all sections.
const verdictsID = "verdicts"

// verdictTable is verdicts.csv: what two reports are compared by.
func (r *Report) verdictTable() Table {
	t := Table{Columns: []string{"section", "id", "list", "claim", "source", "quote", "quote_checked", "paper", "ours",
		"interval", "tolerance", "verdict", "depends_on", "why"}}
	for _, s := range r.Sections {
		for _, v := range s.Verdicts {
			checked := ""
			if v.Quote != "" {
				checked = map[bool]string{true: "yes", false: "not checked"}[v.Checked]
			}
			t.Add(s.ID, v.ID, v.List(), v.Says, v.Source, v.Quote, checked, v.Paper, v.Ours, v.Interval, v.Tolerance, v.Status,
				v.Basis(), v.Why)
		}
	}
	return t
}
