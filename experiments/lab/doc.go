// Package lab runs experiments: it plans their trials, runs them with seeds of their own, keeps what they count, and hands it to the
// experiment to be drawn and judged. It knows no figure and no filter.
//
// An [Experiment] says what it counts (About), which trials a profile has (Plan), and makes pictures (Draw) and verdicts (Judge) of
// what was counted. A [Registry] is a list of experiments and of parts of one's own, and [Registry.Run] runs it. Results of a
// seed are the same bytes on every machine, but for columns that are named as timed.
package lab
