// Package rivals times the filters of this project, those of other Go modules and the native twin against each other, and
// makes a table and charts of it: the league.
//
//	cd experiments/versus && go run ./league --out DIR
//
// # A turn
//
// In each round every filter has a turn, beginning with another one in each round. In its turn a filter is made, filled, asked for
// absent and present keys in five mixtures, has keys deleted, and is dropped. A turn begins with new keys: the rounds are of
// different keys, and all filters of a round have the same ones. Every key is looked up again, and every one that is denied is
// counted.
//
// Keys are integers that look random. A filter that takes bytes gets 16 of them: the integer and its complement. The number of slots
// is a power of two, and the keys are 95% of it, so that the tables which need such a number are full; at other numbers they take up to
// twice the bits per key. Filters without slots are made for the keys.
//
// # Laps
//
// The times of each turn are a line in a file of laps, and a run goes on where the last one ended: [Laps]. Files of the same form in the
// directory kept have modules that no proxy has, measured in a program outside this tree: [Kept].
//
// # Other machines
//
// [ReadFastFilter] reads what the benchmark of fastfilter_cpp prints. Its rows are drawn hollow and stand apart in the tables: they are of
// another machine, unless that program ran on this one.
package rivals
