// Command outside is the command nest of another module: all of its subcommands, with a filter, a hash family, a kick
// policy and an experiment of that module among the built-in ones.
package main

import (
	"fmt"
	"os"

	"github.com/nestfilter/nest/experiments/cli"

	"example.org/outside/parts"
)

func main() {
	registry, err := parts.Registry()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(cli.Main(registry, os.Args[1:], os.Stdout, os.Stderr))
}
