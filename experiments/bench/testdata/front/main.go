// Command front takes whatever filter its arguments name, so that a test can see what a program that
// imports package nest is made of.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/nestfilter/nest"
)

func main() {
	var spec nest.Spec
	err := spec.Set(strings.Join(os.Args[1:], "/"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f, err := nest.New(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(f.InsertString("key"), f.ContainsString("key"), f)
}
