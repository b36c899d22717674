// Package experiments reruns the measurements of the cuckoo-filter paper (Fan, Andersen, Kaminsky and Mitzenmacher,
// "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014) with this module's filters, draws them over the paper's
// own points, and says of each claim whether it holds.
//
// This package lists them all: [Default]. The directories, in the order in which one reads them:
//
//   - lab: an experiment as one struct, the engine that runs it, its journal, what is drawn and judged of it;
//   - measure: streams of keys, what is counted of a filter, and the one loop that times filters;
//   - catalogue: the one list of filters under measurement, with loops that call their verbs directly;
//   - paper, panels: the tables and figures of the paper; what the paper lacks;
//   - folklore, guard: what is said of filters; filters before a store on disk;
//   - speed, advice: nest bench, its studies and nest sweep; nest size and nest bench --keys;
//   - claims: rules of verdicts, intervals, the paper's points and formulas, what may explain a difference;
//   - report, chart: the folder of a report, its tables and pages; pictures;
//   - quotient, integerhash: a filter of the paper; hash families for integers;
//   - trace, page, page/site, page/wasm: one insert step by step; the page that shows it in a browser;
//   - files, cli, cmd/nest: lines, keys and filter files; the command;
//   - logstore: a log store that a cuckoo table indexes;
//   - filtertest, filtertest/ours: checks that any filter must pass; this module's filters under them;
//   - bench, goredis: benchmarks, and CF.* through go-redis;
//   - versus and what is below it: a module of its own that measures other people's filters.
//
// # From trial to folder
//
//	lab.Registry.Run -> []lab.Finding -> Folder: fig2.csv, fig2.png, ..., report.html, manifest.json
//
// Every trial is a function of its own seed, which follows from (seed, experiment, series, parameters, trial), or from
// (seed, key, trial) where trials share their keys; see lab.TrialSeed and lab.Trial. So the results do not depend on
// the number of workers, on the order of the trials or on which other experiments run, and a CSV is the same bytes on
// every machine: counts are integers, derived columns are one correctly rounded division with at most six significant
// digits. What is timed goes into bench.txt and is never compared across machines.
//
// What a run counted is enough to draw and judge it again: lab.ReadRaw reads the CSVs of a folder back and
// Registry.Rebuild makes the findings of them that Run made, measuring nothing.
// How to add to it is in docs/EXPERIMENTS.md.
package experiments
