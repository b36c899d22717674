// Package gate holds the house rules as executable tests. It has no code of its own, and imports
// nothing of the project, so that it runs whatever state the project is in.
//
//   - Architecture (arch_test.go): which package may import which. The rooms and their order are one
//     table; a package that is in no room fails.
//   - Tidiness (tidy_test.go, tidy_go_test.go, twin_test.go): lengths, marks, machine paths, doc
//     comments, file names, white space, build tags that need a twin.
//   - Documents (readme_test.go): Go code in Markdown is a copy of a tested Example, and links within
//     the repository resolve.
//
// Every rule is a small function over a file tree or an import graph, and every rule is tried on a
// made-up tree or graph that breaks it: a check that cannot fail is a defect.
//
//	go test ./internal/gate
package gate
