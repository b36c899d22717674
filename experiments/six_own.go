package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/hashing"
)

// ownTraits are what a filter of one's own brings to Table 3 and figures 5 to 8.
type ownTraits struct {
	number  int  // among those of the registry, from 0
	keys    int  // that it is made for
	bits    int  // of a key, roughly
	single  bool // it takes one digest at a time
	deletes bool
}

// ownSample is the number of keys of the filter that is made to see which verbs it has: the fewest that any profile
// makes a filter for.
const ownSample = 1 << 10

// ownKinds are the filters of one's own, each at its first setting, for a profile's space. They are made for the number of
// keys that a cuckoo filter of that space promises to take, and given that many or until one is refused.
func (s Setup) ownKinds() ([]sixKind, error) {
	if len(s.Own.Filters) == 0 {
		return nil, nil
	}
	keys, err := mostKeys(1 << throughputSizes[s.Profile].q)
	if err != nil {
		return nil, err
	}
	var out []sixKind
	for i, f := range s.Own.Filters {
		k, err := ownKind(f, i, keys)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// ownKind is a filter of one's own, made for so many keys.
func ownKind(f Filter, number, keys int) (k sixKind, err error) {
	defer Recovered(&err)
	empty := f.Settings[0].New
	sample, err := empty(ownSample, 0)
	if err != nil {
		return sixKind{}, err
	}
	_, single := sample.(Single)
	_, deletes := sample.(Deleter)
	return sixKind{
		name: f.Name, label: f.Name,
		own:     &ownTraits{number, keys, f.Settings[0].Bits, single, deletes},
		items:   func(int) int { return keys },
		predict: func(int, int) float64 { return math.NaN() },
		open: func(_ int, seed uint64) (*sixFilter, error) {
			i, err := empty(keys, seed)
			if err != nil {
				return nil, err
			}
			return ownLoops(i), nil
		},
	}, nil
}

// withOwn are kinds with the filters of one's own behind them.
func (s Setup) withOwn(kinds []sixKind) ([]sixKind, error) {
	own, err := s.ownKinds()
	return append(kinds, own...), err
}

// drawn is withOwn of what has been measured: Plan has returned the error, if there is one.
func (d *Data) drawn(kinds []sixKind) []sixKind {
	all, err := d.Setup.withOwn(kinds)
	if err != nil {
		return kinds
	}
	return all
}

// ownLoops has the loops of a filter of one's own, which is called through its interface.
func ownLoops(i Instance) *sixFilter {
	single, ok := i.(Single)
	if !ok {
		single = &slicesOfOne{of: i}
	}
	s := sixFilter{
		insert: func(keys []uint64) (int, error) {
			return insertEach(keys, func(k uint64) error { return single.InsertHash(hashing.Mix64(k)) })
		},
		contains: func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return single.ContainsHash(hashing.Mix64(k)) })
		},
	}
	if d, ok := i.(Deleter); ok {
		s.remove = func(keys []uint64) int {
			return countEach(keys, func(k uint64) bool { return d.DeleteHash(hashing.Mix64(k)) })
		}
	}
	if r, ok := i.(interface{ Reset() }); ok {
		r.Reset() // as sixFilter.of
	}
	return s.over(i, nil)
}

// slicesOfOne gives a filter its batches one by one.
type slicesOfOne struct {
	of     Instance
	digest [1]uint64
	answer [1]bool
}

func (s *slicesOfOne) InsertHash(h uint64) error {
	s.digest[0] = h
	n, err := s.of.InsertHashes(s.digest[:])
	if err == nil && n != 1 {
		err = tookWrong(n, 1)
	}
	return err
}

func (s *slicesOfOne) ContainsHash(h uint64) bool {
	s.digest[0] = h
	s.of.ContainsHashes(s.digest[:], s.answer[:])
	return s.answer[0]
}

// tookWrong is the error of an Instance that returns a number of digests which cannot be.
func tookWrong(took, of int) error {
	return fmt.Errorf("InsertHashes took %d of %d digests and returned no error: want all of them, or the error of the one refused", took, of)
}

// deleters are the kinds of one's own that delete, and all that are not of one's own.
func deleters(kinds []sixKind) []sixKind {
	return slices.DeleteFunc(slices.Clone(kinds), sixKind.keeps)
}

// keeps tells whether a kind is one of one's own that cannot delete.
func (k sixKind) keeps() bool { return k.own != nil && !k.own.deletes }

// leftOut is what a caption about deleting says of the kinds that cannot.
func leftOut(kinds []sixKind) string {
	text := ""
	for _, k := range kinds {
		if k.keeps() {
			text += " " + k.name + " has no verb that deletes a digest, and is left out."
		}
	}
	return text
}

// ownText is what a caption says about the filters of one's own among all that there are.
func ownText(kinds []sixKind) string {
	var text strings.Builder
	for _, k := range kinds {
		if k.own == nil {
			continue
		}
		fmt.Fprintf(&text, " %s is a filter of one's own, made for %d keys and called through an interface", k.name, k.own.keys)
		if !k.own.single {
			text.WriteString("; it takes no single digest and gets slices of one")
		}
		text.WriteString(".")
	}
	return text.String()
}

// ownStyle is a style that none of the paper's filters has, for the filter of that number.
func ownStyle(number int) chart.Style {
	if number == 0 {
		return chart.Style{Marker: chart.Cross}
	}
	names := make([]string, number)
	for i := range names {
		names[i] = fmt.Sprintf("own %d", i)
	}
	return chart.StylesFor(names...)[number-1]
}

// widen makes an axis with bounds hold further values: what a built-in axis is made for may be far from a filter of one's
// own. Values of 0 on a log axis are left out.
func widen(a *chart.Axis, values ...float64) {
	for _, v := range values {
		low, high := v/1.5, v*1.5
		if !a.Log {
			margin := 0.03 * (a.Max - a.Min)
			low, high = v-margin, v+margin
		}
		switch {
		case a.Log && v <= 0:
		case v < a.Min:
			a.Min = low
		case v > a.Max:
			a.Max = high
		}
	}
}

// widenFor makes the axes of a panel hold the points of a series.
func widenFor(p *chart.Panel, s chart.Series) {
	for _, pt := range s.Points {
		widen(&p.X, pt.X)
		widen(&p.Y, pt.Y)
	}
}

// errEmpty is the error of a filter that is asked for stored keys and has none.
var errEmpty = errors.New("no key is stored, so that none can be looked up")
