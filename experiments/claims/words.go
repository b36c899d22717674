package claims

import (
	"fmt"
)

// Ours is a check of our own, of which the paper says nothing.
func Ours(id, says string) Claim { return Claim{ID: id, Says: says, Paper: "-"} }

// As is the estimate with a format of its numbers, unless that is empty, and a note of what they are of.
func (e Estimate) As(format, note string, args ...any) Estimate {
	if format != "" {
		e.Format = format
	}
	if note != "" {
		e.Note = fmt.Sprintf(note, args...)
	}
	return e
}

// Of is a rate, times a factor, with its interval of 95%.
func Of(r Rate, factor float64) Estimate {
	low, high := r.Interval()
	return Estimate{Value: factor * r.Value(), Low: factor * low, High: factor * high}
}
