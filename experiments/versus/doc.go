// Package versus compares the filters of this project with those of other modules: the same keys into both, byte for
// byte where they share a format. It is a module of its own, so that nothing that it needs for that enters the module
// of the filters.
//
// # Conformance
//
// [Subjects] are filters of several modules, each an adapter of a few lines for the conformance kit of
// experiments/filtertest. [Run] runs the kit on them and counts the keys that are lost while they are filled beyond
// their capacity; [Write] makes a page and a chart of it.
//
//	cd experiments/versus && go run ./conformance --out DIR
//
// A module that this one does not require, because no module proxy has it or because its requirements are too many, is
// measured once by a program of its own. The program replaces the module by a directory and calls [Keep] with an
// adapter and the [Source]. The file goes into the directory kept, and the page then lists its rows with the
// day on which they were measured: a change of the kit needs another run.
//
// # Speed
//
// Package rivals, and the command league, time the filters of several modules and a native twin in C++ in one run.
//
//	cd experiments/versus && go run ./league --page DIR
//
// # The oracle of Parquet's filters
//
// bloom.SplitBlock writes the split-block Bloom filter of Apache Parquet, and github.com/parquet-go/parquet-go is an
// implementation that shares no code with it. The tests fill both with the same keys, at sizes that are no power of two
// among others, and compare bitsets and answers, those of either filter to the other's bytes included.
package versus
