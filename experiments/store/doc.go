// Package store keeps what the trials of a run counted, in one form from the first trial to the published report: a folder with
// manifest.json and a CSV for each experiment, of a row for each step of each trial.
//
// A run under way ([Open]) has a folder of its own, to which rows are appended as trials end, so that another sitting can go on
// where one was ended, by an interrupt or by a power failure. Behind the columns of the report stand took_ns, the time of the
// trial, and crc, CRC-32 (IEEE) of the rows of the trial, both in the last of these rows only and empty in the others:
//
//	series,b,f,slots,trial,seed,stored,...,took_ns,crc
//
// Where the revision of an experiment is not 0, that is behind crc, as in crc.1. Rows without their crc at the end of a file were being written
// when the program died, and are dropped; any other damage is an error with file and line.
//
// A report has the rows in the order of the plan, without these two columns, and the SHA-256 of each file in manifest.json. [Read]
// reads both.
package store
