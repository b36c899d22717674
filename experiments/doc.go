// Package experiments reruns the measurements of the cuckoo-filter paper (Fan, Andersen, Kaminsky
// and Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014) with this module's
// filters, draws them over the paper's own points, and says of each claim whether it holds.
//
// # Terms
//
//   - [Experiment]: one figure or table: a claim, a method, jobs, a picture and verdicts.
//   - [Job]: one choice of parameters, tried several times; [Row] is the outcome of one trial, in
//     integers.
//   - [Verdict]: one claim beside our value, with the tolerance and its reason.
//   - [Registry]: the experiments to run and the filters, hash families and kick policies of one's
//     own that are measured beside the built-in ones. It is a plain value: make one with [Default],
//     call [Registry.Register], then [Registry.Run], or give it to the command, cli.Main.
//
// # From trial to folder
//
//	Registry.Run -> []Finding -> Folder: fig2.csv, fig2.png, ..., report.html, manifest.json
//
// Every trial is a function of its own seed, which follows from (seed, experiment, series,
// parameters, trial), or from (seed, joint, trial) where one trial serves several experiments; see
// [TrialSeed] and [Joint]. So the results do not depend on the number of workers, on the order of the
// trials or on which other experiments run, and a CSV is the same bytes on every machine: counts are
// integers, derived columns are one correctly rounded division with at most six significant digits.
// What is timed goes into bench.txt and is never compared across machines.
//
// What a run counted is enough to draw and judge it again: [ReadRaw] reads the CSVs of a folder back and
// [Registry.Rebuild] makes the findings of them that Run made, measuring nothing.
//
// # Adding to it
//
// A new figure is a type with the four methods of Experiment in a file of its own, appended to
// Registry.Experiments. The examples of this package add a filter to figure 3, a kick policy to
// figure 2 and both to Table 3 from outside.
package experiments
