package catalogue

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// ownTraits are what a filter of one's own brings to Table 3 and figures 5 to 8.
type ownTraits struct {
	Number int  // among those of the registry, from 0
	keys   int  // that it is made for
	bits   int  // of a key, roughly
	single bool // it takes one digest at a time
}

// ownSample is the number of keys of the filter that is made to see which verbs it has: the fewest that any profile
// makes a filter for.
const ownSample = 1 << 10

// ownKinds are the filters of one's own, each at its first setting, for a profile's space. They are made for the number
// of keys that a cuckoo filter of that space promises to take, and given that many or until one is refused.
func ownKinds(s lab.Setup) ([]Entry, error) {
	if len(s.Own.Filters) == 0 {
		return nil, nil
	}
	keys, err := MostKeys(1 << LifeSizes[s.Profile].Q)
	out := make([]Entry, len(s.Own.Filters))
	for i, f := range s.Own.Filters {
		if err == nil {
			out[i], err = ownKind(f, i, keys)
		}
	}
	return out, err
}

// ownKind is a filter of one's own, made for so many keys.
func ownKind(f lab.Filter, number, keys int) (k Entry, err error) {
	defer lab.Recovered(&err)
	empty := f.Settings[0].New
	sample, err := empty(ownSample, 0)
	if err != nil {
		return Entry{}, err
	}
	_, single := sample.(lab.Single)
	_, deletes := sample.(lab.Deleter)
	return Entry{
		Name: f.Name, Label: f.Name,
		Own:     &ownTraits{number, keys, f.Settings[0].Bits, single},
		fullest: 1000, keeps: !deletes,
		Items:   func(int) int { return keys },
		Predict: func(int, int) float64 { return math.NaN() },
		Open: func(s Size) (*measure.Loops, error) {
			i, err := empty(keys, s.Seed)
			if err != nil {
				return nil, err
			}
			return ownLoops(i), nil
		},
	}, nil
}

// DrawnKinds are kinds with the filters of one's own behind them, of what has been measured: planning has returned the
// error, if there is one.
func DrawnKinds(d *lab.Data, kinds []Entry) []Entry {
	own, err := ownKinds(d.Setup)
	if err != nil {
		return kinds
	}
	return append(kinds, own...)
}

// slicesOfOne gives a filter its batches one by one.
type slicesOfOne struct {
	of     lab.Instance
	digest [1]uint64
	answer [1]bool
}

func (s *slicesOfOne) InsertHash(h uint64) error {
	s.digest[0] = h
	n, err := s.of.InsertHashes(s.digest[:])
	if err == nil && n != 1 {
		err = measure.TookWrong(n, 1)
	}
	return err
}

func (s *slicesOfOne) ContainsHash(h uint64) bool {
	s.digest[0] = h
	s.of.ContainsHashes(s.digest[:], s.answer[:])
	return s.answer[0]
}

// Deleters are the kinds that delete.
func Deleters(kinds []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Entry) bool { return k.keeps })
}

// LeftOut is what a caption about deleting says of the kinds of one's own that cannot.
func LeftOut(kinds []Entry) string {
	text := ""
	for _, k := range kinds {
		if k.keeps && k.Own != nil {
			text += " " + k.Name + " has no verb that deletes a digest, and is left out."
		}
	}
	return text
}

// OwnText is what a caption says about the filters of one's own among all that there are.
func OwnText(kinds []Entry) string {
	var text strings.Builder
	for _, k := range kinds {
		if k.Own == nil {
			continue
		}
		fmt.Fprintf(&text, " %s is a filter of one's own, made for %d keys and called through an interface",
			k.Name, k.Own.keys)
		if !k.Own.single {
			text.WriteString("; it takes no single digest and gets slices of one")
		}
		text.WriteString(".")
	}
	return text.String()
}

// OwnStyle is a style that none of the paper's filters has, for the filter of that number.
func OwnStyle(number int) chart.Style {
	if number == 0 {
		return chart.Style{Marker: chart.Cross}
	}
	var names []string
	for i := range number {
		names = append(names, fmt.Sprintf("own %d", i))
	}
	return chart.StylesFor(names...)[number-1]
}

// Widen makes an axis with bounds hold further values: what a built-in axis is made for may be far from a filter of
// one's own. Values of 0 on a log axis are left out.
func Widen(a *chart.Axis, values ...float64) {
	for _, v := range values {
		margin := 0.03 * (a.Max - a.Min)
		low, high := v-margin, v+margin
		if a.Log {
			low, high = v/1.5, v*1.5
		}
		if v > a.Max {
			a.Max = high
		} else if v < a.Min && (low > 0 || !a.Log) {
			a.Min = low
		}
	}
}

// WidenFor makes the axes of a panel hold the points of a series.
func WidenFor(p *chart.Panel, s chart.Series) {
	for _, pt := range s.Points {
		Widen(&p.X, pt.X)
		Widen(&p.Y, pt.Y)
	}
}
