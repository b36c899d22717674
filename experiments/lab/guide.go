package lab

import (
	"fmt"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// load is what the trials of an experiment take together.
type load struct {
	trials  int
	seconds float64 // of one core
	bytes   int64   // of the largest trial
	timed   bool    // some run alone on the machine
}

// add takes a task in.
func (l *load) add(t *task) {
	l.trials++
	l.seconds += t.seconds + t.shared
	l.bytes = max(l.bytes, t.bytes)
	l.timed = l.timed || t.timed()
}

// time is the time of one core in words.
func (l load) time() string {
	d := time.Duration(l.seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return "below 1 s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

// memory is that of one trial in words.
func (l load) memory() string {
	switch mib := l.bytes >> 20; {
	case mib < 16:
		return "below 16 MiB"
	case mib < 2048:
		return fmt.Sprintf("%d MiB", mib)
	default:
		return fmt.Sprintf("%.1f GiB", gibibytes(l.bytes))
	}
}

// command repeats one experiment.
func (o Options) command(name string) string {
	c := fmt.Sprintf("nest reproduce --out DIR --only %s --profile %s --seed %d", name, o.withDefaults().Profile, o.Seed)
	if o.Runs > 0 {
		c += fmt.Sprintf(" --runs %d", o.Runs)
	}
	if o.Huge {
		c += " --huge"
	}
	return c
}

// guide is the file REPRODUCING.md of a report, of a program with such own parts: how to run one experiment again.
func guide(findings []Finding, o Options, own string) []byte {
	t := report.Table{Columns: strings.Fields("experiment command trials time memory output"), Left: 6}
	for _, f := range findings {
		name, l := f.Data.Experiment.Name, f.Data.load
		t.Add(name, "`"+o.command(name)+"`", l.trials, l.time(), l.memory(), name+".csv")
	}
	program := "stands for `go run github.com/nestfilter/nest/experiments/cmd/nest@` and the version in manifest.json."
	if own != "" {
		program = "is the program of the parts that are not built in: " + report.Markdown(own) + "."
	}
	return []byte("# Checking this report again\n\nThe commands repeat one experiment each; `nest` " + program + " Time " +
		"is that of one core, as estimated before the run; trials that are not timed share all cores. Memory is that of " +
		"the largest trial. With the same seed, `nest report diff` finds no difference in columns that are not timed. " +
		"verdicts.csv has each claim with its source, its tolerance and what decides it.\n\n" + t.Marked())
}

// GuideTable describes the experiments of the registry as a table in Markdown: what each shows, what it takes in the
// profiles quick and paper. The error is that of the plan.
func (g Registry) GuideTable() (string, error) {
	var profiles [2][]Finding
	for i, p := range []Profile{Quick, Paper} {
		findings, _, err := g.plan(Options{Profile: p})
		if err != nil {
			return "", err
		}
		profiles[i] = findings
	}
	t := report.Table{Left: 5, Columns: []string{"experiment", "shows", "time, quick", "time, paper", "timed"}}
	for i, f := range profiles[1] {
		e, l := f.Data.Experiment, f.Data.load
		timed := "no"
		if l.timed {
			timed = "yes"
		}
		t.Add(e.Name, e.Title, profiles[0][i].Data.load.time(), l.time(), timed)
	}
	return t.Markdown(), nil
}
