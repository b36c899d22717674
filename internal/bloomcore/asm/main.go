// Command asm writes the vector kernels of package bloomcore: kernel_amd64.s and the Go declarations
// in kernel_amd64.go. It is a module of its own, so that its dependency reaches no user. The generate
// line of the package runs it.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!purego")
	split()
	blocked()
	Generate()
}
