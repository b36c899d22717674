package filtertest

import (
	"fmt"
	"strconv"
	"strings"
)

// Status is the outcome of a check.
type Status uint8

const (
	// Passed: the filter keeps the promise.
	Passed Status = iota
	// Failed: the filter breaks the promise.
	Failed
	// Noted: the property was measured, but the adapter promises nothing of it.
	Noted
	// Skipped: the filter lacks the ability, or what the check is about did not occur.
	Skipped
)

// String returns the name of the status: passed, failed, noted or skipped.
func (s Status) String() string {
	if names := []string{"passed", "failed", "noted", "skipped"}; int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// A Finding is what one check found.
type Finding struct {
	// Check is the name of the check, one of [Checks].
	Check string
	// Status is its outcome.
	Status Status
	// Evidence says in a sentence what was seen, such as "1,046 of 63,500 accepted keys are
	// lost", or why the check was skipped.
	Evidence string
	// Measures are the numbers behind the evidence, for tables.
	Measures []Measure
}

// A Measure is a number that a check measured.
type Measure struct {
	// Name is lower-case words joined by hyphens.
	Name string
	// Value is a count or a share.
	Value float64
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("%-14s %-8s %s", f.Check, f.Status, f.Evidence)
}

// Measure returns the measure of that name and whether there is one.
func (f Finding) Measure(name string) (value float64, ok bool) {
	for _, m := range f.Measures {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// with adds a measure.
func (f Finding) with(name string, value float64) Finding {
	f.Measures = append(f.Measures, Measure{name, value})
	return f
}

// counts adds measures that are whole numbers. The names are separated by spaces.
func (f Finding) counts(names string, values ...int) Finding {
	for i, name := range strings.Fields(names) {
		f = f.with(name, float64(values[i]))
	}
	return f
}

// A Report is what all checks found about one filter.
type Report struct {
	// Filter is the name of the adapter.
	Filter string
	// Options are those of the checks, with every default filled in.
	Options Options
	// Findings has one finding for each check that was asked for, in the order of [Checks].
	Findings []Finding
}

// Failed returns the findings that failed.
func (r Report) Failed() []Finding {
	var failed []Finding
	for _, f := range r.Findings {
		if f.Status == Failed {
			failed = append(failed, f)
		}
	}
	return failed
}

// Finding returns the finding of a check and whether that check was made.
func (r Report) Finding(check string) (Finding, bool) {
	for _, f := range r.Findings {
		if f.Check == check {
			return f, true
		}
	}
	return Finding{}, false
}

// String returns the report as text, a line a finding.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (capacity %s, seed %d)\n", r.Filter, thousands(r.Options.Capacity), r.Options.Seed)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %v\n", f)
	}
	return b.String()
}

func passed(format string, args ...any) Finding  { return found(Passed, format, args) }
func failed(format string, args ...any) Finding  { return found(Failed, format, args) }
func noted(format string, args ...any) Finding   { return found(Noted, format, args) }
func skipped(format string, args ...any) Finding { return found(Skipped, format, args) }

// found makes a finding. Integers in the evidence are written with thousands separators.
func found(s Status, format string, args []any) Finding {
	for i, a := range args {
		if n, ok := a.(int); ok {
			args[i] = thousands(n)
		}
	}
	return Finding{Status: s, Evidence: fmt.Sprintf(strings.ReplaceAll(format, "%d", "%s"), args...)}
}

// thousands writes n with a comma after every third digit from the right.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
