// Command nest reproduces the measurements of the cuckoo-filter paper, compares filters on keys of
// one's own and says which filter to take.
//
// Run nest help, or nest help reproduce.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
