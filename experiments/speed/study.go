package speed

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// The rows of studies that are counted once.
const (
	measuredRate, predictedRate = "false positives, measured (%)", "false positives, predicted (%)"
	overUngrown, doublings      = "rate over that of no doubling, same load", "doublings"
	beforeLast, afterLast       = "bits per item before the last doubling", "bits per item after it"
	promised                    = "bits per item of one rate, at the promised load"
)

// duel is the experiment of filters that one goroutine uses, with the given rows besides those of all studies.
func (f contest) duel(s study, o Options, more ...Step) *Timing {
	f.digests, f.loads = true, []float64{.9, 1}
	f.steps = slices.Concat(lookups, []Step{fillStep, stretchStep, longestStep, deleteStep, spaceStep}, more)
	t := f.timing(s, o)
	t.Method += " Keys are n random digests. The longest insert is, over all, the largest of the shorter of two times."
	t.Down, t.Across, t.Benchmark = "what", "filter", studyName
	t.Notes = append(t.Notes, "Digests ready: hashing is not counted. insert, last stretch: the last tenth of the keys.")
	return t
}

// studyName is the name of the benchmark of a row.
func studyName(g lab.Group) string {
	word := strings.NewReplacer(", ", ",", " ", "-", "/", "-")
	name := fmt.Sprintf("BenchmarkStudy/study=%s/filter=%s/what=%s/n=%s", g.Data.Experiment.Name, word.Replace(g.Series),
		word.Replace(g.Cell.Text("what")), g.Cell.Text("n"))
	if p := g.Cell.Text("point"); p != "" {
		name += "/point=" + word.Replace(p)
	}
	return name
}

// counted is a number as counts, exact to a part of it.
func counted(x float64, part int) [4]int { return [4]int{part, int(math.Round(float64(part) * x))} }

// rate counts the absent keys that a filter reports.
func rate(t *measure.Turn) (out rows, err error) {
	l, err := t.Ask(measure.Probes{N: 1 << 22, Next: func(at int, keys []uint64) int {
		t.From(t.Stored+at)(0, keys)
		return 0
	}}, measure.ContestBatch)
	return rows{measuredRate: {l.Keys, l.Found}}, err
}

// paired measures paired slots at the promised capacity.
func paired(s study, o Options) (*Timing, error) {
	all := catalogue.Paired()
	f := contest{filters: beside(all[0].Name, all), count: func(t *measure.Turn, _ contender, _ int) (rows, error) {
		out, err := rate(t)
		out[predictedRate] = counted(t.Filter.(interface{ FalsePositiveRate() float64 }).FalsePositiveRate(), 1e9)
		return out, err
	}}
	return f.duel(s, o, Step{Name: measuredRate, Of: percent}, Step{Name: predictedRate, Of: percent}), nil
}

// every measures each kind of cuckoo filter, made for n keys, beside a plain one: of its rate, or of its lane.
func every(s study, o Options) (*Timing, error) {
	all, narrow := catalogue.Each()
	f := contest{filters: append(beside(all[0].Name, all[:narrow]), beside(all[narrow].Name, all[narrow:])...)}
	f.count = func(t *measure.Turn, _ contender, _ int) (rows, error) { return rate(t) }
	t := f.duel(s, o, Step{Name: measuredRate, Of: percent})
	t.Down, t.Across = t.Across, t.Down
	return t, nil
}

// growth measures filters that grow.
func growth(s study, o Options) (*Timing, error) {
	const width, slots = 16, 4 // of the fingerprints, and b
	all := catalogue.Growing()
	f := contest{filters: beside(all[0].Name, all), made: true}
	f.count = func(t *measure.Turn, _ contender, _ int) (rows, error) {
		out, err := rate(t)
		if grower, ok := t.Filter.(interface {
			Doublings() int
			LoadFactor() float64
		}); ok {
			rate := float64(out[measuredRate][1]) / float64(out[measuredRate][0])
			out[overUngrown] = counted(rate/(2*slots*grower.LoadFactor()/math.Exp2(width-1)), 1e6)
			out[doublings] = [4]int{1, grower.Doublings()}
		}
		return out, err
	}
	return f.duel(s, o, Step{Name: measuredRate, Of: percent}, Step{Name: overUngrown, Of: plain},
		Step{Name: doublings, Of: plain}, Step{Name: beforeLast, Of: perItem}, Step{Name: afterLast, Of: perItem}), nil
}

// shared measures a filter for goroutines, used by one.
func shared(s study, o Options) (*Timing, error) {
	all := catalogue.Shared() // a Filter and a Concurrent of 12 bits, and of 16: a bucket of a Concurrent fills a word
	f := contest{filters: append(beside(all[0].Name, all[:2]), beside(all[2].Name, all[2:])...)}
	for i, slots := range []int{4, 64 / 12, 4, 64 / 16} {
		f.filters[i].slots = slots
	}
	f.count = func(_ *measure.Turn, e contender, n int) (rows, error) {
		bits, err := promisedBits(n, map[bool]uint{true: 12, false: 16}[strings.Contains(e.Name, "12")], e.base != e.Name)
		return rows{promised: counted(bits, 1e6)}, err
	}
	// Seven are too few for vector instructions: a filter that has them takes its portable code.
	return f.duel(s, o, Step{Name: "lookup, absent, 7 at once", Verb: "Contains", Batch: 7},
		Step{Name: "lookup, present, 7 at once", Verb: "Contains", Hit: 1, Batch: 7}, Step{Name: promised, Of: plain}), nil
}

// promisedBits returns the bits per item of a Filter of n keys at its promised load, or of a Concurrent at its own, to
// which the bits are added that would give it the rate of the Filter.
func promisedBits(n int, width uint, concurrent bool) (float64, error) {
	sized := cuckoo.Config{Capacity: n, FingerprintBits: int(width)}
	c, size, err := cuckoo.Plan(sized)
	if err != nil || !concurrent {
		return 8 * float64(size) / float64(n), err
	}
	rate := c.PredictRate(n)
	c, size, err = cuckoo.PlanConcurrent(sized)
	if err != nil {
		return 0, err
	}
	return 8*float64(size)/float64(n) + math.Log2(c.PredictRate(n)/rate), nil
}
