package lab

import "strconv"

// A Value is a parameter of a trial: a whole number, a share, or a word. The zero Value is none: the parameter does not apply.
// Values are comparable.
type Value struct {
	text   string
	number float64
}

// None is the value of a parameter that does not apply. Its cell is empty.
var None Value

// Int is a whole number, exact below 2^53.
func Int(n int) Value { return Value{strconv.Itoa(n), float64(n)} }

// Ints are whole numbers.
func Ints(ns ...int) []Value {
	vs := make([]Value, len(ns))
	for i, n := range ns {
		vs[i] = Int(n)
	}
	return vs
}

// Share is a number that need not be whole: a load, a fraction.
func Share(x float64) Value { return Value{strconv.FormatFloat(x, 'g', -1, 64), x} }

// Word is a name: of a layout, say. It must not be empty.
func Word(s string) Value { return Value{text: s} }

// Applies tells whether there is a value.
func (v Value) Applies() bool { return v.text != "" }

// Int is the whole number; of what is none it is 0.
func (v Value) Int() int { return int(v.number) }

// Float is the number; of a word it is 0.
func (v Value) Float() float64 { return v.number }

// String is the value as its cell in a table has it.
func (v Value) String() string { return v.text }

// seed is the value in the text that a trial's seed follows from, in which none is 0.
func (v Value) seed() string {
	if !v.Applies() {
		return "0"
	}
	return v.text
}

// texts are values as text.
func texts(vs []Value) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.text
	}
	return out
}
