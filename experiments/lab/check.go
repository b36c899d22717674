package lab

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/hashing"
)

// Check returns everything that keeps the registry from being run or its results from being reported, as far as it can be
// known before: names that are empty, twice there or not printable ASCII, parts that are incomplete, parts with the name of a
// series that an experiment of the registry has already (each Plan is called), experiments whose files would have
// the names of others, and columns without a name, twice there, or timed and not there. All of it wraps [ErrRegistry].
func (g Registry) Check() error {
	c := checker{seen: map[string]bool{}, reserved: g.Reserved}
	for i, e := range g.Experiments {
		if e == nil {
			c.fail("experiment %d is nil", i)
			continue
		}
		a := e.About()
		c.name("experiment", a.Name)
		c.files(a, g.Experiments[:i])
		c.columns(a)
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
func (c *checker) files(a About, others []Old) {
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
		name := e.About().Name
		other := strings.ToLower(name)
		if own == other && name != a.Name || strings.HasPrefix(own, other+"-") || strings.HasPrefix(other, own+"-") {
			c.fail("experiments %q and %q: files of one may have the names of the other's: want names that differ otherwise", name, a.Name)
		}
	}
}

// columns checks what an experiment calls its columns.
func (c *checker) columns(a About) {
	columns := []string{"series", "trial", "seed"}
	add := func(kind, name string) {
		if name == "" || !printable(name) || slices.Contains(columns, name) {
			c.fail("experiment %q: %s %+q: want printable ASCII, and no name of another column: %s", a.Name, kind, name, strings.Join(columns, ", "))
		}
		columns = append(columns, name)
	}
	for _, name := range a.Params {
		add("parameter", name)
	}
	fixed := len(columns)
	for _, name := range a.Counts {
		add("count", name)
	}
	for _, d := range a.Derived {
		add("derived column", d.Name)
		if d.Of == nil {
			c.fail("experiment %q: derived column %q: Of is nil", a.Name, d.Name)
		}
	}
	for _, name := range a.Timed {
		if !slices.Contains(columns[fixed:], name) {
			c.fail("experiment %q: timed column %q is none of its counts and derived columns: %s", a.Name, name, strings.Join(columns[fixed:], ", "))
		}
	}
}

// filter checks a filter. What only a chart or a sweep calls so is refused here; names of series are, where they are made.
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

// A part is one of the parts of one's own, in words and by itself.
type part struct {
	text string
	Parts
}

// each returns the parts one by one. The filters are such as have all verbs and are never asked for anything.
func (p Parts) each() []part {
	var out []part
	for _, f := range p.Filters {
		f.Settings = slices.Clone(f.Settings)
		for i := range f.Settings {
			f.Settings[i].New = func(int, uint64) (Instance, error) { return dummy{}, nil }
		}
		out = append(out, part{fmt.Sprintf("filter %q", f.Name), Parts{Filters: []Filter{f}}})
	}
	for _, h := range p.Families {
		out = append(out, part{fmt.Sprintf("hash family %q", h.Recipe()), Parts{Families: []hashing.Hasher{h}}})
	}
	for _, k := range p.Policies {
		out = append(out, part{fmt.Sprintf("policy %q", k.Name), Parts{Policies: []Policy{k}}})
	}
	return out
}

// A dummy is an Instance that stands for any.
type dummy struct{}

func (dummy) InsertHashes(hs []uint64) (int, error) { return len(hs), nil }

func (dummy) ContainsHashes([]uint64, []bool) {}

func (dummy) InsertHash(uint64) error { return nil }

func (dummy) ContainsHash(uint64) bool { return true }

func (dummy) DeleteHash(uint64) bool { return true }

func (dummy) SizeBytes() int { return 0 }

// series refuses parts whose results would go into a series that is there without them, or into one of another part: whatever
// profile is run.
func (c *checker) series(g Registry) {
	parts := g.each()
	if len(parts) == 0 {
		return
	}
	said := map[string]bool{}
	for _, e := range g.Experiments {
		if e, ok := e.(*Experiment); ok {
			if _, err := e.Plan(Setup{Profile: Tiny, Own: g.Parts}); err != nil {
				c.errs = append(c.errs, fmt.Errorf("experiments: %w", err))
			}
			continue
		}
		for _, p := range Profiles() {
			if p == Paper && strconv.IntSize < 64 {
				continue // it cannot be run either
			}
			setup := Setup{Profile: p, Huge: p == Paper}
			base := seriesOf(e, setup)
			owners := map[string]string{}
			for _, own := range parts {
				setup.Own = own.Parts
				with := seriesOf(e, setup)
				for _, series := range slices.Sorted(maps.Keys(with)) {
					text, taken := "", false
					if with[series] == base[series] {
						continue // made without this part
					} else if base[series] > 0 {
						text, taken = fmt.Sprintf("%s: %s has a series %q already", own.text, e.About().Name, series), true
					} else if other, ok := owners[series]; ok {
						text, taken = fmt.Sprintf("%s and %s: both would be the series %q of %s", other, own.text, series, e.About().Name), true
					}
					owners[series] = own.text
					if taken && !said[text] {
						said[text] = true
						c.fail("%s", text)
					}
				}
			}
		}
	}
}

// seriesOf counts the jobs of each series of a plan. A plan that cannot be made has none: whoever runs it is told.
func seriesOf(e Old, s Setup) map[string]int {
	var jobs []Job
	err := func() (err error) {
		defer Recovered(&err)
		jobs, err = e.Plan(s)
		return err
	}()
	out := map[string]int{}
	for _, j := range jobs {
		if err == nil {
			out[j.Series]++
		}
	}
	return out
}
