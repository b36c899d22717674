package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// repeats are the columns that tell repetitions of one measurement apart and mean nothing else.
var repeats = []string{"trial", "seed", "round", "run", "rep", "iterations"}

// IsRepeat tells whether a column tells repetitions apart: what stands before the first of them are parameters, and what
// stands behind is counted, timed, or follows from that.
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
	seen := map[string]bool{}
	for _, t := range texts {
		seen[t] = true
	}
	return len(seen)
}
