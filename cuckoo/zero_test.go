package cuckoo

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/filetest"
)

// TestZero_ValuesAnswer calls every method of every zero value. None panics and none says NaN; a question is answered
// as an empty filter answers it, and what cannot be done is an error.
func TestZero_ValuesAnswer(t *testing.T) {
	type (
		bits = fingerprint.Bits12
		run  = fingerprint.Any
	)
	for _, wrong := range filetest.CallZero(answersEmpty, new(Filter[bits]), new(Filter[run]), new(View[bits]), new(View[run]),
		new(Concurrent[bits]), new(Concurrent[run]), new(Scalable[bits]), new(Scalable[run]), new(ScalableView[bits]),
		new(ScalableView[run]), new(Walk), new(Config), new(ScalableConfig), new(Placement), new(Layout)) {
		t.Error(wrong)
	}
}

// answersEmpty says what an empty filter would not answer.
func answersEmpty(self reflect.Value, in, out []reflect.Value) string {
	for _, result := range out {
		switch got := result.Interface().(type) {
		case float64, int:
			if !result.IsZero() {
				return fmt.Sprint(got)
			}
		case bool: // of two zero filters, which are equal
			if got != (len(in) == 1 && in[0] == self) {
				return fmt.Sprint(got)
			}
		case error:
			if !errors.Is(got, ErrConfig) && !errors.Is(got, ErrCorrupt) && !errors.Is(got, ErrTooShort) && !errors.Is(got, ErrMismatch) {
				return got.Error()
			}
		}
	}
	return ""
}
