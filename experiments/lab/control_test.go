package lab

import (
	"slices"
	"testing"
	"time"
)

// TestUndisturbed_RepeatsLittle makes trials on a machine that is always busy: the loop never was as fast as a control
// says. A tenth of the time may go into trials that are made again, and the answer is that of one of the two.
func TestUndisturbed_RepeatsLittle(t *testing.T) {
	const trials = 100
	c, made, again := &control{chase: NewChase(1 << 10), least: 1}, 0, 0
	for range trials {
		from := made
		counts, repeats, err := c.undisturbed(func() ([][]int, error) {
			made++
			time.Sleep(time.Millisecond)
			return [][]int{{made}}, nil
		})
		again += repeats
		if got := slices.Concat(counts...); err != nil || len(got) != 1 || got[0] <= from || made != from+1+repeats {
			t.Fatalf("%v, %d repeats, %v: behind %d trials, %d now", got, repeats, err, from, made)
		}
	}
	if again == 0 || again > trials/5 {
		t.Errorf("%d of %d were made again", again, trials)
	}
}
