// Package sweep measures cuckoo filters over a grid of parameters: every combination of fingerprint width,
// bucket size, placement, kick policy, hash family, table size and load, each with several seeds. It is what
// one runs to answer a question that no figure of the paper asks.
//
// A [Grid] names the values; [Grid.Plan] lays out its cells and says what they will cost; [Run] measures
// them on all cores and hands over the rows in the order of the cells. A row depends on its cell alone,
// so the table is the same bytes on every machine and for every number of workers, but for the columns of
// times.
//
//	Text -> Grid.Plan -> []Cell -> Run -> rows of Columns
//
// Filters, hash families and kick policies of one's own come in by experiments.Parts.
package sweep
