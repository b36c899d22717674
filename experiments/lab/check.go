package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// Check returns everything that keeps the registry from being run or its results from being reported, as far as it can
// be known before: names that are empty, twice there or not printable ASCII, parts that are incomplete, parts with the
// name of a series that an experiment of the registry has already (each is laid out for the profile tiny), experiments
// whose files would have the names of others, and columns without a name, twice there, or timed and not there. All of
// it wraps [ErrRegistry].
func (g Registry) Check() error {
	c := checker{seen: map[string]bool{}, reserved: g.Reserved}
	for i, e := range g.Experiments {
		if e == nil {
			c.fail("experiment %d is nil", i)
			continue
		}
		c.name("experiment", e.Name)
		c.files(e, g.Experiments[:i])
		c.columns(e)
	}
	for _, f := range g.Filters {
		c.filter(f)
	}
	for i, h := range g.Families {
		if h == nil {
			c.fail("hash family %d is nil", i)
			continue
		}
		c.name("hash family", h.Recipe())
	}
	for _, p := range g.Policies {
		c.name("policy", p.Name)
		if p.Kick == nil {
			c.fail("policy %q: Kick is nil", p.Name)
		}
	}
	if len(c.errs) == 0 { // else a plan may not be made
		c.series(g)
	}
	return errors.Join(c.errs...)
}

// A checker collects what is wrong with a registry.
type checker struct {
	errs []error
	seen map[string]bool // names, each behind its kind

	reserved []string
}

func (c *checker) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("experiments: %w: "+format, append([]any{ErrRegistry}, args...)...))
}

// printable tells whether a text can be in a chart.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func (c *checker) name(kind, s string) {
	switch {
	case s == "" || !printable(s):
		c.fail("%s %+q: want printable ASCII", kind, s)
	case c.seen[kind+s]:
		c.fail("%s %q is there twice", kind, s)
	case slices.Contains(c.reserved, s) || slices.ContainsFunc(c.reserved, func(r string) bool {
		stem, some := strings.CutSuffix(r, "*")
		return some && strings.HasPrefix(s, stem)
	}):
		c.fail("%s %q: charts have that name for something else", kind, s)
	}
	c.seen[kind+s] = true
}

// verdictsStem is that of the files with the verdicts of a report.
const verdictsStem = "verdicts"

// files checks the names of the files that an experiment makes: its own, and those of further pictures, which have its
// name, a hyphen and another word.
func (c *checker) files(a *Experiment, others []*Experiment) {
	empty := chart.Figure{Name: a.Name, Panels: []chart.Panel{{}}}
	if err := empty.Check(); err != nil && a.Name != "" {
		c.fail("experiment %q: its name is that of its files: %w", a.Name, err)
	}
	own := strings.ToLower(a.Name) // for file systems that do not tell the case apart
	if own == verdictsStem {
		c.fail("experiment %q: the files of the report's verdicts have that name", a.Name)
	}
	for _, e := range others {
		if e == nil {
			continue
		}
		other := strings.ToLower(e.Name)
		if own == other && e.Name != a.Name || strings.HasPrefix(own, other+"-") || strings.HasPrefix(other, own+"-") {
			c.fail("experiments %q and %q: files of one may have the names of the other's: want names that differ otherwise",
				e.Name, a.Name)
		}
	}
}

// columns checks what an experiment calls its columns.
func (c *checker) columns(a *Experiment) {
	columns := []string{"series", "trial", "seed"}
	add := func(kind, name string) {
		if name == "" || !printable(name) || slices.Contains(columns, name) {
			c.fail("experiment %q: %s %+q: want printable ASCII, and no name of another column: %s",
				a.Name, kind, name, strings.Join(columns, ", "))
		}
		columns = append(columns, name)
	}
	for _, name := range strings.Fields(a.Params) {
		add("parameter", name)
	}
	fixed := len(columns)
	for _, name := range strings.Fields(a.Trial.Counts) {
		add("count", name)
	}
	for _, d := range a.Columns {
		add("derived column", d.Name)
		if d.Of == nil {
			c.fail("experiment %q: derived column %q: Of is nil", a.Name, d.Name)
		}
	}
	for _, name := range a.timed() {
		if !slices.Contains(columns[fixed:], name) {
			c.fail("experiment %q: timed column %q is none of its counts and derived columns: %s",
				a.Name, name, strings.Join(columns[fixed:], ", "))
		}
	}
}

// filter checks a filter. What only a chart or a sweep calls so is refused here; names of series are, where they are
// made.
func (c *checker) filter(f Filter) {
	c.name("filter", f.Name)
	if strings.HasPrefix(f.Name, "paper") {
		c.fail("filter %q: names that begin with paper are those of the paper's points", f.Name)
	}
	for i, s := range f.Settings {
		if s.New == nil || s.OneIn < 1 {
			c.fail("filter %q, setting %d: want New, and OneIn of at least 1", f.Name, i)
		}
	}
	if len(f.Settings) == 0 {
		c.fail("filter %q has no settings", f.Name)
	}
}

// series refuses parts whose results would go into a series that is there without them, or into one of another part.
func (c *checker) series(g Registry) {
	for _, e := range g.Experiments {
		if _, err := e.plan(Setup{Profile: Tiny, Own: g.Parts}); errors.Is(err, ErrRegistry) { // others a run tells
			c.errs = append(c.errs, fmt.Errorf("experiments: %w", err))
		}
	}
}
