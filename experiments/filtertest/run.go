package filtertest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A check looks for one defect.
type check struct {
	name string
	find func(*run) Finding
}

// checks are all checks, in the order of reports.
var checks = []check{
	{"capacity", checkCapacity}, {"filling", checkFilling}, {"overfilling", checkOverfilling}, {"refusal", checkRefusal},
	{"rate", checkRate}, {"delete", checkDelete}, {"operations", checkOperations}, {"duplicates", checkDuplicates},
	{"saturation", checkSaturation}, {"absent-delete", checkAbsentDelete}, {"queries", checkQueries},
	{"reset", checkReset}, {"clone", checkClone}, {"keys", checkKeys}, {"aliasing", checkAliasing},
	{"batches", checkBatches}, {"strings", checkStrings}, {"tiny", checkTiny}, {"determinism", checkDeterminism},
	{"allocations", checkAllocations},
}

// Checks returns the names of all checks, in the order of reports.
func Checks() (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

// Test makes all checks as subtests named adapter/check. A finding that failed is an error, with the seed; one that was
// skipped is a skipped test. With -short, defaults of the options are smaller.
//
// The test must not be parallel, because allocations of other goroutines would be counted.
func Test(t *testing.T, a Adapter, o Options) {
	o = o.resolve(testing.Short())
	t.Run(a.Name, func(t *testing.T) {
		for _, c := range selected(o) {
			t.Run(c.name, func(t *testing.T) {
				switch f := c.do(a, o); f.Status {
				case Failed:
					t.Errorf("%s (capacity %d, seed %d)", f.Evidence, o.Capacity, o.Seed)
				case Skipped:
					t.Skip(f.Evidence)
				default:
					t.Log(f.Status, f.Evidence)
				}
			})
		}
	})
}

// Check makes all checks and returns what they found. With default options it makes some 750,000 calls, most of them
// Contains: about 50 ms for a filter of a few tens of nanoseconds a call. No test may run in parallel.
func Check(a Adapter, o Options) Report {
	o = o.resolve(false)
	r := Report{Filter: a.Name, Options: o}
	for _, c := range selected(o) {
		r.Findings = append(r.Findings, c.do(a, o))
	}
	return r
}

// selected returns the checks that the options ask for. An unknown name is a check that fails.
func selected(o Options) []check {
	chosen := slices.Clone(checks)
	for _, name := range o.Only {
		if !slices.Contains(Checks(), name) {
			chosen = append(chosen, check{name, func(*run) Finding { return failed("there is no such check") }})
		}
	}
	return slices.DeleteFunc(chosen, func(c check) bool { return len(o.Only) > 0 && !slices.Contains(o.Only, c.name) })
}

// do makes the check. A check panics with its finding to end early; any other panic is a failure.
func (c check) do(a Adapter, o Options) (f Finding) {
	defer func() {
		p := recover()
		if end, ok := p.(Finding); ok {
			f = end
		} else if p != nil {
			f = failed("panic: %v%s", fmt.Sprint(p), placeOfPanic())
		}
		f.Check = c.name
	}()
	return c.find(&run{a, o})
}

// panicPlace finds in a stack where a panic began: the first function above those of the runtime that raised it.
var panicPlace = regexp.MustCompile(`\npanic\(.*\n.*\n(?:runtime\..*\n.*\n)*(.+)\(.*\)\n\t(.+:\d+)`)

// placeOfPanic returns where the panic under way began. It must be called from the deferred function.
func placeOfPanic() string {
	at := panicPlace.FindStringSubmatch(string(debug.Stack()))
	if at == nil {
		return ""
	}
	return fmt.Sprintf(" (in %s, %s)", filepath.Base(at[1]), filepath.Base(at[2]))
}

// A run is one check of one filter.
type run struct {
	Adapter
	Options
}

// fail ends the check.
func (r *run) fail(format string, args ...any) { panic(failed(format, args...)) }

// need skips the rest of the check unless the filter has what it is about.
func (r *run) need(has bool, lacks string) {
	if !has {
		panic(skipped("%s", lacks))
	}
}

// right ends the check if something is wrong. The format says of what, and takes it behind the arguments.
func (r *run) right(wrong, format string, args ...any) {
	if wrong != "" {
		r.fail(format, append(args, wrong)...)
	}
}

// keeps ends the check if more of the inserted keys are lost than before. The format takes how many more of how many
// before the arguments.
func (r *run) keeps(f *Filter, keys []int, before int, format string, args ...any) {
	if n := r.lost(f, keys) - before; n > 0 {
		r.fail(format, append([]any{n, len(keys)}, args...)...)
	}
}

// alike ends the check if two filters differ that must not.
func (r *run) alike(f, g *Filter, n int, format string) {
	if wrong := r.differ(f, g, n); !r.Random {
		r.right(wrong, format)
	}
}

// openFor returns a fresh filter, or ends the check.
func (r *run) openFor(capacity int) *Filter {
	if r.New == nil {
		r.fail("the adapter has no New")
	}
	f, err := r.New(capacity)
	switch {
	case err != nil:
		r.fail("New(%s): %s", fmt.Sprint(capacity), err)
	case f == nil:
		r.fail("New(%s) returned nil and no error", fmt.Sprint(capacity))
	case f.Insert == nil || f.Contains == nil:
		r.fail("the adapter has no Insert or no Contains")
	}
	return f
}

// open returns a fresh filter for the capacity of the options.
func (r *run) open() *Filter { return r.openFor(r.Capacity) }

// openFilled returns a filter into which keys 0..n-1 were inserted, and the numbers of those that it accepted.
func (r *run) openFilled(n int) (*Filter, []int) {
	f := r.open()
	return f, r.fill(f, 0, n)
}

// openDeleter is openFilled for the checks that delete.
func (r *run) openDeleter(n int) (*Filter, []int) {
	f, accepted := r.openFilled(n)
	r.need(f.Delete != nil, "the filter has no Delete")
	return f, accepted
}

// fill inserts keys from..to-1 and returns the numbers of those that were accepted.
func (r *run) fill(f *Filter, from, to int) (accepted []int) {
	for i := from; i < to; i++ {
		if f.Insert(r.key(inserted, i)) {
			accepted = append(accepted, i)
		}
	}
	return accepted
}

// most is the number of keys at which checks work that are not about a full filter: three quarters of the capacity,
// where few filters refuse any.
func (r *run) most() int { return r.Capacity - r.Capacity/4 }

// count counts what happened.
func count(n *int, happened bool) {
	if happened {
		*n++
	}
}

// lost returns how many of the inserted keys are not found.
func (r *run) lost(f *Filter, keys []int) (n int) {
	for _, i := range keys {
		count(&n, !f.Contains(r.key(inserted, i)))
	}
	return n
}

// found returns how many of the first n keys of a stream are found.
func (r *run) found(f *Filter, stream, n int) (hits int) {
	for i := range n {
		count(&hits, f.Contains(r.key(stream, i)))
	}
	return hits
}

// wrongLen says how Len differs from n, or nothing.
func wrongLen(f *Filter, n int) string {
	if f.Len == nil || f.Len() == n {
		return ""
	}
	return english.Sprintf("Len is %d and not %d", f.Len(), n)
}

// Status is the outcome of a check.
type Status string

const (
	Passed  Status = "passed"  // the filter keeps the promise
	Failed  Status = "failed"  // the filter breaks the promise
	Noted   Status = "noted"   // measured, but the adapter promises nothing of it
	Skipped Status = "skipped" // the filter lacks the ability, or what the check is about did not occur
)

// A Finding is what one check, one of [Checks], found. Evidence says in a sentence what was seen, such as "1,046 of
// 63,500 accepted keys are lost", or why the check was skipped. Measures are the numbers behind it, for tables; their
// names are lower-case words joined by hyphens.
type Finding struct {
	Check    string             `json:"check"`
	Status   Status             `json:"status"`
	Evidence string             `json:"evidence"`
	Measures map[string]float64 `json:"measures,omitempty"`
}

// String returns the finding on one line.
func (f Finding) String() string { return fmt.Sprintf("%-14s %-8s %s", f.Check, f.Status, f.Evidence) }

// with adds measures. The names are separated by spaces.
func (f Finding) with(names string, values ...float64) Finding {
	if f.Measures == nil {
		f.Measures = map[string]float64{}
	}
	for i, name := range strings.Fields(names) {
		f.Measures[name] = values[i]
	}
	return f
}

// A Report is what all checks found about one filter.
type Report struct {
	Filter   string    // the name of the adapter
	Options  Options   // of the checks, with every default filled in
	Findings []Finding // one for each check that was asked for, in the order of [Checks]
}

// Failed returns the findings that failed.
func (r Report) Failed() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Status != Failed })
}

// Finding returns the finding of a check and whether that check was made.
func (r Report) Finding(check string) (Finding, bool) {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Check == check })
	if i < 0 {
		return Finding{}, false
	}
	return r.Findings[i], true
}

// String returns the report as text, a line a finding.
func (r Report) String() string {
	var b strings.Builder
	english.Fprintf(&b, "%s (capacity %d, seed %s)\n", r.Filter, r.Options.Capacity, fmt.Sprint(r.Options.Seed))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %v\n", f)
	}
	return b.String()
}

// english writes integers with thousands separators.
var english = message.NewPrinter(language.English)

func finding(s Status, format string, args []any) Finding {
	return Finding{Status: s, Evidence: english.Sprintf(format, args...)}
}

func passed(format string, args ...any) Finding  { return finding(Passed, format, args) }
func failed(format string, args ...any) Finding  { return finding(Failed, format, args) }
func noted(format string, args ...any) Finding   { return finding(Noted, format, args) }
func skipped(format string, args ...any) Finding { return finding(Skipped, format, args) }
