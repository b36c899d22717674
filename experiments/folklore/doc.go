// Package folklore puts sentences to the test that are said about cuckoo filters and Bloom filters: in articles, in interviews and in
// comments of source code.
//
// # Sentences and parts
//
// A sentence is false, true, or true under a condition, and numbers decide which. It has parts, each of which measures one number:
// a count over another. A part may say for which numbers the sentence is true of it. The sentence is true if it is true of all
// its parts, false if it is true of none, and otherwise true under a condition. A part whose interval reaches over an end of those numbers
// decides nothing.
//
// A part also has a rule of package claims: what the number must be, by a formula, a count or earlier runs with other seeds. So each verdict of a sentence stands on
// claims that can fail, and there is one machinery for both: a number that is not what it must be is an unexplained difference,
// and ends the command with status 1.
//
// # Experiments
//
// All returns two experiments. In "folklore" the seed decides everything. "insert-time" measures how long inserts take, so the
// machine decides.
//
// # Pages
//
// Page writes docs/FOLKLORE.md and docs/FOLKLORE.zh.md from the results of a run: the same rows in two languages.
package folklore
