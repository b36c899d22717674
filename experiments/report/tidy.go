package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// IsRepeat tells whether a column tells repetitions apart: what stands before the first of them are parameters, and
// what stands behind is counted, timed, or follows from that.
func IsRepeat(column string) bool {
	return slices.Contains([]string{"trial", "seed", "round", "run", "rep", "iterations"}, column)
}

// Number reads a cell.
func Number(cell string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// numeric reports whether a column of the rows holds numbers only, and one at least, empty cells aside.
func numeric(rows [][]string, column int) bool {
	some := false
	return !slices.ContainsFunc(rows, func(r []string) bool {
		_, ok := Number(r[column])
		some = some || ok
		return !ok && r[column] != ""
	}) && some
}

// values are those of a column, each once.
func values(rows [][]string, column int) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = row[column]
	}
	return unique(all)
}

func unique(texts []string) []string {
	var all Groups[string, struct{}]
	for _, text := range texts {
		all.Index(text)
	}
	return all.Keys
}

// Groups are values by key, in the order in which the keys came. The zero value is ready to use.
type Groups[K comparable, V any] struct {
	Keys   []K
	Values []V
	index  map[K]int
}

// Index returns the place of a key, which is added with a zero value if it is new.
func (g *Groups[K, V]) Index(key K) int {
	at, ok := g.index[key]
	if !ok {
		if g.index == nil {
			g.index = map[K]int{}
		}
		at = len(g.Keys)
		g.index[key], g.Keys, g.Values = at, append(g.Keys, key), append(g.Values, *new(V))
	}
	return at
}

// Of returns the value of a key, as Index does its place. The pointer holds until a key is added.
func (g *Groups[K, V]) Of(key K) *V { return &g.Values[g.Index(key)] }
