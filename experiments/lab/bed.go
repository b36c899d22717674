package lab

import (
	"context"
	"fmt"
)

// A bed is what trials of several cells use one behind the other.
type bed struct {
	name string
	open func(context.Context) (of any, end func(), err error)
	left int // trials
	made bool
	of   any
	end  func()
}

// shareBeds gives the cells whose beds have one name the same, and returns all beds.
func shareBeds(units []unit) map[string]*bed {
	shared := map[string]*bed{}
	for _, u := range units {
		if b := u[0].bed; b != nil {
			if shared[b.name] == nil {
				shared[b.name] = b
			}
			u[0].bed = shared[b.name]
			u[0].bed.left++
		}
	}
	return shared
}

// make makes the bed, unless it is made.
func (b *bed) make(ctx context.Context) (err error) {
	if b == nil || b.made {
		return nil
	}
	defer Recovered(&err)
	if b.of, b.end, err = b.open(ctx); err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	b.made = true
	return nil
}

// done ends the bed behind its last trial.
func (b *bed) done() {
	if b == nil {
		return
	}
	if b.left--; b.left == 0 {
		b.close()
	}
}

// close ends the bed, if it is open.
func (b *bed) close() {
	if b.end != nil {
		b.end()
	}
	b.of, b.end = nil, nil
}
