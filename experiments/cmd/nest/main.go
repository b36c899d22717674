// Command nest measures approximate-membership filters, chooses among them and uses them:
//
//	nest reproduce  redoes the tables and figures of the cuckoo-filter paper
//	nest report     draws, checks and compares the results of earlier runs
//	nest size       says which filter to take for a number of keys and a rate
//	nest bench      times filters here, or measures all of them on keys of your own
//	nest sweep      measures cuckoo filters over a grid of parameters
//	nest chart      draws a table of numbers as a chart
//	nest filter     keeps lines in filter files, asks them, merges and converts them
//	nest uniq       drops the repeated lines of a stream without sorting it
//	nest redis      ships cuckoo filters into a Redis server and fetches them from one
//	nest log        keeps keys, values and files in a log whose index is a maplet
//	nest trace      shows an insert step by step, in text and as a picture
//	nest page       makes a page on which one can watch a cuckoo filter, and serves it
//
// Run nest help, or nest help reproduce.
package main

import (
	"os"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/cli"
)

func main() { os.Exit(cli.Main(experiments.Default(), os.Args[1:], os.Stdout, os.Stderr)) }
