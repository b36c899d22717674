// Package rivals times the filters of this project, those of other Go modules and the native twin against each other,
// and makes tables and charts of it: the league.
//
//	cd experiments/versus && go run ./league --page DIR
//
// # A turn
//
// In each round, a process of its own, every filter has a turn: it is made, filled, asked for absent and present keys
// in five mixtures, has keys deleted, and is dropped. All filters of a round have the same keys, those of another round
// have others. Every key of the first round is looked up again, and every one that is denied is counted.
//
// Keys are integers that look random. A filter that takes bytes gets 16 of them: the integer and its complement. The
// number of slots is a power of two, and the keys are 95% of it, so that the tables which need such a number are full;
// at other numbers they take up to twice the bits per key. Filters without slots are made for the keys.
//
// # Laps
//
// The league is an experiment of package lab: each turn is a row of a journal, a lap, and a run goes on where the last
// one ended. Journals in the directory kept have laps of modules that no proxy has, which a program outside this tree
// measured by [Run]; the settings of their manifests are written by hand: module, version, commit, bytes and remark.
package rivals
