// Command nest measures approximate-membership filters, chooses among them and uses them:
//
//	nest reproduce  redoes the tables and figures of the cuckoo-filter paper
//	nest bench      times lookups, inserts, deletes and bulk construction on this machine
//	nest redraw     draws and judges the results of an earlier reproduce again
//	nest verify     checks the files of such a folder against its manifest
//	nest compare    measures every filter on keys of one's own
//	nest diff       compares the results of two reports
//	nest size       says which filter to take for a number of keys and a rate
//	nest chart      draws a table of numbers as a chart
//	nest sweep      measures cuckoo filters over a grid of parameters
//	nest uniq       drops the repeated lines of a stream without sorting it
//	nest build      makes a filter of the lines of a file and keeps it in a file
//	nest query      prints the lines that such a filter may hold
//	nest info       says what filter is in a file, and whether it is whole
//	nest convert    turns a filter into the bytes of another system, or from them
//	nest merge      makes one filter of several
//	nest trace      shows an insert step by step, in text and as a picture
//	nest page       makes a page on which one can watch a cuckoo filter, and serves it
//	nest redis      ships cuckoo filters into a Redis server and fetches them from one
//	nest log        keeps keys, values and files in a log whose index is a maplet
//	nest version    says which version of nest this is, and what it was built with
//
// Run nest help, or nest help reproduce.
package main

import (
	"os"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/cli"
)

func main() { os.Exit(cli.Main(experiments.Default(), os.Args[1:], os.Stdout, os.Stderr)) }
