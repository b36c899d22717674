package lab

import (
	"testing"
	"time"
)

// TestControl_AsksForFewTriesAgain makes trials on a machine that is always busy: the loop never was as fast as a
// control says. A part of the time may go into trials that are made again. Of two tries the less disturbed one counts.
func TestControl_AsksForFewTriesAgain(t *testing.T) {
	const trials = 100
	c, made, again := &control{chase: NewChase(1 << 10), least: 1}, 0, 0
	once := func() ([][]int, error) {
		made++
		time.Sleep(time.Millisecond)
		return [][]int{{made}}, nil
	}
	for n := range trials {
		first, later, err := c.try(once, nil)
		if err != nil || first.counts[0][0] != made || first.slow <= disturbed {
			t.Fatalf("trial %d: %+v, %t, %v", n, first, later, err)
		}
		if !later {
			continue
		}
		again++
		if second, later, err := c.try(once, &try{slow: 1}); err != nil || later || second.counts != nil {
			t.Fatalf("trial %d, behind a calm try: %+v, %t, %v", n, second, later, err)
		}
		if second, later, err := c.try(once, &try{slow: 1e300}); err != nil || later || second.counts[0][0] != made {
			t.Fatalf("trial %d, behind a disturbed try: %+v, %t, %v", n, second, later, err)
		}
	}
	if again == 0 || again > trials/3 {
		t.Errorf("%d of %d are made again", again, trials)
	}
}
