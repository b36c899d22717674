// Package folklore puts sentences to the test that are said about cuckoo filters and Bloom filters: in articles, in
// interviews and in comments of source code.
//
// A sentence has parts, each of which measures one number: a count over another. A part may say for which numbers the
// sentence is true of it. The sentence is true if it is true of all its parts, false if it is true of none, and
// otherwise true under a condition. A part whose interval reaches over an end of those numbers decides nothing.
//
// A part also has a rule of package claims: what the number must be, by a formula, a count or earlier runs with other
// seeds (references.csv). So each verdict of a sentence stands on claims that can fail, and a number that is not what
// it must be ends the command with status 1.
//
// All returns two experiments. In "folklore" the seed decides everything. "insert-time" measures how long inserts take,
// so the machine decides. Page writes docs/FOLKLORE.md and docs/FOLKLORE.zh.md from the results of a run: the same rows
// in two languages. The texts of sentences are translated in chinese.txt, those around them are templates.
package folklore
