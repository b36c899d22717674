// Package report writes the output folder of an experiment: pictures, tables, a report to read and
// a manifest that says how all of it came about.
//
// # The folder
//
//	report.html    one self-contained page: claims, verdicts, pictures, sortable tables
//	report.md      the same for a terminal or a repository
//	<id>.csv       the table of a section, one row per observation
//	<id>.png ...   its figure in the formats asked for, and <id>.vl.json for notebooks
//	bench.txt      timings in Go's benchmark format, for benchstat
//	manifest.json  command line, versions, machine, seeds, times, and each file's SHA-256
//
// # Use
//
// A [Writer] is made before the work starts, so that a folder that cannot be written is known at
// once, and everything goes to a temporary sibling folder that Commit renames:
//
//	w, err := report.Create(dir, report.Options{})
//	if err != nil { ... }
//	defer w.Close()          // without Commit, nothing is left behind
//	...                      // run the experiments
//	err = w.Add(&rep, formats)
//	err = w.Commit()
//
// An interrupt must end the work by a context and let the deferred Close run.
//
// # Numbers
//
// CSV files and pictures of deterministic experiments are the same bytes for the same seed:
// [Format] writes integers as they are and floats with at most six significant digits.
package report
