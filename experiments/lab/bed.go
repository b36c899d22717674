package lab

import (
	"context"
	"fmt"
)

// A bed is what trials of several jobs use one behind the other.
type bed struct {
	name string
	open func(context.Context) (of any, end func(), err error)
	of   any
}

// beds are those of a run that are open.
type beds struct {
	left map[string]int // trials
	made map[string]*bed
	end  map[string]func()
}

// newBeds counts the trials of each bed.
func newBeds(units []unit) *beds {
	b := &beds{left: map[string]int{}, made: map[string]*bed{}, end: map[string]func(){}}
	for _, u := range units {
		if of := u[0].bed; of != nil {
			b.left[of.name]++
		}
	}
	return b
}

// make gives a trial its bed, which is made for the first one.
func (b *beds) make(ctx context.Context, of *bed) (err error) {
	if of == nil {
		return nil
	}
	defer Recovered(&err)
	if b.made[of.name] == nil {
		thing, end, err := of.open(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
		b.made[of.name], b.end[of.name] = &bed{of: thing}, end
	}
	of.of = b.made[of.name].of
	return nil
}

// done ends a bed behind its last trial.
func (b *beds) done(of *bed) {
	if of == nil {
		return
	}
	of.of = nil
	if b.left[of.name]--; b.left[of.name] == 0 {
		b.close(of.name)
	}
}

// close ends a bed, if it is open.
func (b *beds) close(name string) {
	if end := b.end[name]; end != nil {
		end()
	}
	delete(b.made, name)
	delete(b.end, name)
}

// closeAll ends what is open still.
func (b *beds) closeAll() {
	for name := range b.made {
		b.close(name)
	}
}
