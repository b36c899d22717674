package filtertest

import (
	"fmt"
	"slices"
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

// statuses are their names.
var statuses = []string{"passed", "failed", "noted", "skipped"}

// String returns the name of the status: passed, failed, noted or skipped.
func (s Status) String() string {
	if int(s) < len(statuses) {
		return statuses[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText returns the name of the status.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	i := slices.Index(statuses, string(text))
	if i < 0 {
		return fmt.Errorf("filtertest: status %q: want one of %s", text, strings.Join(statuses, ", "))
	}
	*s = Status(i)
	return nil
}

// A Finding is what one check found.
type Finding struct {
	// Check is the name of the check, one of [Checks].
	Check string `json:"check"`
	// Status is its outcome.
	Status Status `json:"status"`
	// Evidence says in a sentence what was seen, such as "1,046 of 63,500 accepted keys are
	// lost", or why the check was skipped.
	Evidence string `json:"evidence"`
	// Measures are the numbers behind the evidence, counts and shares, for tables. Their names are lower-case words
	// joined by hyphens.
	Measures map[string]float64 `json:"measures,omitempty"`
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("%-14s %-8s %s", f.Check, f.Status, f.Evidence)
}

// with adds a measure.
func (f Finding) with(name string, value float64) Finding {
	if f.Measures == nil {
		f.Measures = map[string]float64{}
	}
	f.Measures[name] = value
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
