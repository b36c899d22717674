package filetest

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// faulty is a type whose methods do what the zero value of a filter must not do, and some that are well.
type faulty struct{ seen int }

func (f *faulty) Panics()                   { panic("unmade") }
func (f *faulty) Rate() float64             { return math.NaN() }
func (f *faulty) Text() string              { return "NaN" }
func (f *faulty) Yes(_ int, _ *string) bool { return true }
func (f *faulty) Once(_ ...uint8) bool      { f.seen++; return f.seen > 1 }

// TestCallZero_FindsFaults has each kind of fault, and values that are fresh for each method.
func TestCallZero_FindsFaults(t *testing.T) {
	yes := func(_ reflect.Value, _, out []reflect.Value) string {
		if len(out) > 0 && out[0].Kind() == reflect.Bool && out[0].Bool() {
			return "yes"
		}
		return ""
	}
	want := []string{
		"*filetest.faulty.Panics: panics with unmade", "*filetest.faulty.Rate: says NaN",
		"*filetest.faulty.Text: says NaN", "*filetest.faulty.Yes: yes",
	}
	if got := CallZero(yes, new(faulty)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := CallZero(nil, new(faulty)); len(got) != 3 {
		t.Errorf("without a check: %q", got)
	}
}
