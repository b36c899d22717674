package uniq_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/nestfilter/nest/experiments/uniq"
)

func ExampleStream() {
	s, err := uniq.New(uniq.Options{FPR: 0.000001, Grow: true}, os.Stdout)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Read(strings.NewReader("pear\nfig\npear\nplum\nfig"), "fruit"); err != nil {
		fmt.Println(err)
	}
	st := s.Stats()
	fmt.Println(st.Lines, "read,", st.Dropped, "dropped")
	// Output:
	// pear
	// fig
	// plum
	// 5 read, 2 dropped
}
