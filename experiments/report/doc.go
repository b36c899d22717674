// Package report writes the output folder of an experiment: pictures, tables, a report to read and
// a manifest that says how all of it came about.
//
// # The folder
//
//	report.html    one self-contained page: a scoreboard of the paper's tables and figures, then each with its claims
//	report.md      the same for a terminal or a repository
//	verdicts.csv   every claim: list (sentence, reading, own), source, quote, paper, ours, interval, tolerance, verdict
//	<id>.csv       the table of a section, one row per observation
//	<id>.tex       its summary of at most 500 rows as a table for LaTeX (booktabs), and verdicts.tex
//	<id>.png ...   its figure in the formats asked for
//	bench.txt      timings in Go's benchmark format, for benchstat
//	manifest.json  command line, versions, machine, seeds, times, and each file's SHA-256
//
// A page shows of a claim what it says, the paper's number, ours, the verdict and why; tolerances, sources and
// quotations are in verdicts.csv. Claims that a busy machine has left undecided are counted on the page. It shows
// light or dark as its reader prefers, prints, works without scripts, and is tested in a browser at 400 pixels, where
// panels are in one column, and at 1400.
//
// # Use
//
// A [Writer] is made before the work starts, so that a folder that cannot be written is known at once. Everything goes
// to a temporary sibling folder that Commit renames; without Commit, Close leaves nothing behind. So an interrupt must
// end the work by a context and let a deferred Close run.
//
// # Tables and reading
//
// [Table] is the one type of tables: [Table.CSV], [Table.Text] for a terminal or a pipe, [Table.Markdown] for cells of
// plain text, [Table.Marked] for cells that are Markdown themselves, tables for LaTeX, and [Table.Figure] write it.
// [ReadManifest] and [Manifest.Verify] tell whether a folder is what was written; [ReadTable], [ReadBench] and
// [ReadAny] read its files, with the line of whatever is wrong with them, and [Compare] compares two folders.
//
// # Numbers
//
// CSV files and pictures of deterministic experiments are the same bytes for the same seed:
// [Format] writes integers as they are and floats with at most six significant digits.
package report
