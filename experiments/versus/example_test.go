package versus_test

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/versus"
)

// A program outside this tree requires the filter's module and this one, each perhaps replaced by a directory, and
// writes the file that goes into the directory kept.
func ExampleKeep() {
	source := versus.Source{
		Module: "example.com/exact", Version: "v1.2.3", Commit: "0123456789abcdef0123456789abcdef01234567",
		Committed: "2026-01-02", Measured: "2026-01-03", Go: "go1.26.0 linux/amd64",
	}
	subjects := []versus.Subject{{Module: source.Module, Adapter: filtertest.Adapter{
		Name: "exact", Full: filtertest.Absorbs,
		New: func(capacity int) (*filtertest.Filter, error) {
			keys := map[string]bool{}
			return &filtertest.Filter{
				Insert:   func(key []byte) bool { keys[string(key)] = true; return true },
				Contains: func(key []byte) bool { return keys[string(key)] },
			}, nil
		},
	}}}
	o := versus.Options{Capacities: []int{100}, Kit: filtertest.Options{Queries: 100}} // versus.Options{} for the page
	var file strings.Builder                                                           // os.Create("kept/exact.json")
	if err := versus.Keep(&file, source, subjects, o); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(file.String(), `"check":`), "findings")
	fmt.Println(strings.Count(file.String(), `"status":"failed"`), "failed")
	// Output:
	// 20 findings
	// 0 failed
}
