package memory

import (
	"sync"
	"testing"
)

func TestCounter_ExactAtRest(t *testing.T) {
	var c Counter
	c.Set(7)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for k := range uint64(1000) {
				c.Add(k*uint64(g+1), 3)
				if c.Sum() < 7 {
					t.Error("the number fell")
				}
				c.Add(k, -2)
			}
		})
	}
	group.Wait()
	if n := c.Sum(); n != 8007 {
		t.Errorf("%d, want 8007", n)
	}
}
