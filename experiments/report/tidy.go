package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// repeats are the columns that tell repetitions of one measurement apart and mean nothing else.
var repeats = []string{"trial", "seed", "round", "run", "rep", "iterations"}

// IsRepeat tells whether a column tells repetitions apart: what stands before the first of them are parameters, and
// what stands behind is counted, timed, or follows from that.
func IsRepeat(column string) bool { return slices.Contains(repeats, column) }

// Number reads a cell.
func Number(cell string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// Split returns, in order, those of the columns that tell rows apart which those taken before do not. Rows that have
// different names are told apart already; a nil names is one name for all.
func Split(names []string, rows [][]string, columns []int) (taken []int) {
	if names == nil {
		names = make([]string, len(rows))
	}
	count := distinct(names)
	for _, c := range columns {
		longer := slices.Clone(names)
		for i := range longer {
			longer[i] += "\x00" + rows[i][c]
		}
		if n := distinct(longer); n > count {
			names, count, taken = longer, n, append(taken, c)
		}
	}
	return taken
}

// distinct is how many different texts there are.
func distinct(texts []string) int {
	var seen Groups[string, struct{}]
	for _, t := range texts {
		seen.Index(t)
	}
	return len(seen.Keys)
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
