// Package claims holds what experiments test: sentences of the paper and checks of our own, the rules that compare them
// with a measurement, and the verdicts that come out; intervals of rates, means and medians; the points of the paper's
// figures and the formulas that go with them. [Block] and [NarrowTable] try out what may be behind numbers of the paper
// that this module's filters do not have: which double hashing inside a block gives the rate of blocked Bloom filters
// in Table 3, and which values of narrow fingerprints and offsets between buckets give the cliffs of figure 2. A
// supposition that gives the paper's number is not shown to be the authors'. One that does not is refuted.
//
// Claims are in one of three lists: sentences of the paper, which [Sentence] has with their quotes; readings of its
// tables and figures; and checks of our own. Comparisons of this module with its own earlier runs are tests of it, and
// in none of them. The paper is Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than
// Bloom", CoNEXT 2014.
package claims

import (
	"fmt"
	"slices"
	"strings"
)

// A Claim is a sentence that numbers can refute.
type Claim struct {
	ID    string // its name within its experiment: "plateau, b = 4, m = 2^25"
	Says  string // the claim, in words
	Paper string // the paper's number, as printed; "-" if it has none
	// Source is where the paper says it: "figure 2", "Table 3, CF, row 3". It is empty of a check of our own.
	Source string
	// Quote is the paper's sentence, of a claim in words. Checked says that it was compared, word for word, with a copy
	// of the paper's text: others are what the paper says, in words that may not be its own.
	Quote   string
	Checked bool
	// Open is what was tried to explain a difference that nobody has explained yet. It puts the difference on record: it
	// is no longer taken for a defect of this module.
	Open string
	// Machine says that the machine decides what is measured; otherwise the seed alone does.
	Machine bool
}

// A List is one that claims are counted in.
type List int

// The lists.
const (
	Own       List = iota // a check of our own
	Sentences             // what the paper says in words
	Readings              // what its tables and figures show
)

// Lists returns all lists, in the order in which reports have them.
func Lists() []List { return []List{Sentences, Readings, Own} }

// String returns "own", "sentence" or "reading".
func (l List) String() string { return []string{"own", "sentence", "reading"}[l] }

// Of writes so many claims of the list: "2 readings of its tables and figures".
func (l List) Of(n int) string {
	thing, of := "check", " of our own"
	switch l {
	case Sentences:
		thing, of = "sentence", " of the paper"
	case Readings:
		thing, of = "reading", " of its tables and figures"
	}
	return Count(n, thing) + of
}

// List is the one that the claim is in.
func (c Claim) List() List {
	switch {
	case c.Quote != "":
		return Sentences
	case c.Source != "":
		return Readings
	}
	return Own
}

// A Status is the outcome of a comparison.
type Status int

// The outcomes. The zero value claims nothing: there is no number of ours.
const (
	NotMeasured Status = iota
	Holds
	// Differs is a difference whose cause a measurement of the same report shows.
	Differs
	// Unexplained is a difference without a cause that is shown.
	Unexplained
	// Undecided is measured: what was found is evidence neither for the claim nor against it.
	Undecided
)

// Statuses returns all outcomes, in the order in which reports list them.
func Statuses() []Status { return []Status{Holds, Differs, Unexplained, Undecided, NotMeasured} }

// String returns "not measured", "holds", "differs", "unexplained" or "undecided".
func (s Status) String() string {
	return []string{"not measured", "holds", "differs", "unexplained", "undecided"}[s]
}

// A Verdict is a claim held against what was measured.
type Verdict struct {
	Claim
	Ours      string
	Interval  string // of ours: "0.185% to 0.195%"
	Tolerance string // what counts as equal, and why that much
	Status    Status
	Why       string // required unless Status is Holds
}

// Failed tells whether the verdict is a defect, of this module or of the experiment: a difference on which the seed
// alone decides, of which no cause is shown, and which is not on record as open.
func (v Verdict) Failed() bool { return v.Status == Unexplained && !v.Machine && v.Open == "" }

// Basis says what decides our number; it is empty without one.
func (v Verdict) Basis() string {
	switch {
	case v.Status == NotMeasured:
		return ""
	case v.Machine:
		return "the seed and the machine"
	}
	return "the seed"
}

// A Tally counts verdicts by their status.
type Tally map[Status]int

// Total is the number of verdicts.
func (t Tally) Total() (n int) {
	for _, k := range t {
		n += k
	}
	return n
}

// String writes "5 hold, 1 differs, 1 undecided, 2 not measured": the statuses that there are.
func (t Tally) String() string {
	var parts []string
	for _, status := range Statuses() {
		word := status.String()
		if t[status] > 1 {
			word = strings.TrimSuffix(strings.Replace(word, "differs", "differ", 1), "s")
		}
		if t[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", t[status], word))
		}
	}
	return strings.Join(parts, ", ")
}

// TallyOf counts the verdicts on claims of some lists.
func TallyOf(vs []Verdict, lists ...List) Tally {
	t := Tally{}
	for _, v := range vs {
		if slices.Contains(lists, v.List()) {
			t[v.Status]++
		}
	}
	return t
}

// Summary says in a sentence each how many claims of each list there are, and what came out, and then how many of those
// about times chance would turn.
func Summary(vs []Verdict) string {
	if t := TallyOf(vs, Lists()...); len(vs) > 0 && t[NotMeasured] == len(vs) {
		return "This profile is too small to judge any claim."
	}
	var text []string
	for _, list := range Lists() {
		if t := TallyOf(vs, list); t.Total() > 0 {
			text = append(text, fmt.Sprintf("Of %s: %s.", list.Of(t.Total()), t))
		}
	}
	failed, timed := 0, 0
	for _, v := range vs {
		if v.Failed() {
			failed++
		}
		if v.Machine && v.Status != NotMeasured && v.Status != Undecided {
			timed++
		}
	}
	if failed > 0 {
		text = append(text, fmt.Sprintf("%d of the unexplained differences are on no record: defects.", failed))
	}
	if timed > 0 {
		text = append(text, fmt.Sprintf("Of %s about times chance alone would turn %.2g at most: each is wrong in one "+
			"run of 40, if what it compares lies at the end of the tolerance.", Count(timed, "decided verdict"),
			float64(timed)/40))
	}
	return strings.Join(text, " ")
}
