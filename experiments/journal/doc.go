// Package journal keeps the finished trials of a long run on disk while it runs, so that another sitting can
// go on where one was ended, by an interrupt or by a power failure. Its place in the pipeline: [experiments.Run]
// appends each trial as it ends and asks first which there are; the report that follows makes the journal
// superfluous, and the command removes it.
//
// A journal is a folder with one file, trials.jsonl. Each of its lines is a JSON object
//
//	{"crc":"1c9f03a2","head":{...}}    the first line: version, profile, seed and machine
//	{"crc":"70b1d7e4","plan":{...}}    an experiment and a hash of its plan
//	{"crc":"2d02ef11","trial":{...}}   a finished trial
//
// where crc is CRC-32 (IEEE) of the bytes between the second colon and the last brace. Lines are only ever
// appended. A last line without its line feed was being written when the program died, and is dropped; any
// other damage is an error with file and line.
//
// [experiments.Run]: https://pkg.go.dev/github.com/nestfilter/nest/experiments#Registry.Run
package journal
