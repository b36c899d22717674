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

// apart returns, in order, those of the columns that tell rows apart which those taken before do not.
func apart(rows [][]string, columns []int) (taken []int) {
	names, count := make([]string, len(rows)), 1
	for _, c := range columns {
		longer := slices.Clone(names)
		for i, row := range rows {
			longer[i] += "\x00" + row[c]
		}
		if n := len(unique(longer)); n > count {
			names, count, taken = longer, n, append(taken, c)
		}
	}
	return taken
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
