// Package experiments reruns the measurements of the cuckoo-filter paper (Fan, Andersen, Kaminsky
// and Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014) with this module's
// filters, draws them over the paper's own points, and says of each claim whether it holds.
//
// This package lists them all: [Default]. The parts are in packages of their own:
//
//   - lab runs experiments: Experiment, Job, Row, Registry, Run;
//   - claims has what is tested: sentences of the paper, checks of our own, verdicts, the points of the paper's figures;
//   - catalogue lists the filters under measurement, measure fills and asks them, law has the formulas;
//   - paper has the tables and figures of the paper, panels what the paper lacks.
//
// # From trial to folder
//
//	lab.Registry.Run -> []lab.Finding -> Folder: fig2.csv, fig2.png, ..., report.html, manifest.json
//
// Every trial is a function of its own seed, which follows from (seed, experiment, series,
// parameters, trial), or from (seed, joint, trial) where one trial serves several experiments; see
// lab.TrialSeed and lab.Joint. So the results do not depend on the number of workers, on the order of the
// trials or on which other experiments run, and a CSV is the same bytes on every machine: counts are
// integers, derived columns are one correctly rounded division with at most six significant digits.
// What is timed goes into bench.txt and is never compared across machines.
//
// What a run counted is enough to draw and judge it again: lab.ReadRaw reads the CSVs of a folder back and
// Registry.Rebuild makes the findings of them that Run made, measuring nothing.
//
// # Adding to it
//
// A new figure is a lab.Simple in a file of its own, put into the registry by Registry.Register: docs/EXPERIMENTS.md
// has one. The examples of package lab add a filter to figure 3, a kick policy to figure 2 and both to Table 3 from
// outside.
package experiments
