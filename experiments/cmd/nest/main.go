// Command nest measures approximate-membership filters, chooses among them and uses them. Run nest help, or nest help
// reproduce; docs/COMMANDS.md has all of it.
package main

import (
	"os"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/cli"
)

func main() { os.Exit(cli.Main(experiments.Default(), os.Args[1:], os.Stdout, os.Stderr)) }
