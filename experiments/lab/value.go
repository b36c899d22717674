package lab

import "strconv"

// A Value is a parameter of a trial: a whole number, a share, or a word. The zero Value is none: the parameter does not
// apply.
type Value struct {
	Text   string  // what a table shows and a seed follows from
	Number float64 // 0 of a word
	Of     any     // what the value stands for on its axis: a policy, a hash family, a filter; nil of a number
	own    string  // the part of a user that it is
}

// None is the value of a parameter that does not apply. Its cell is empty.
var None Value

// Int is a whole number, exact below 2^53.
func Int(n int) Value { return Value{Text: strconv.Itoa(n), Number: float64(n)} }

// Share is a number that need not be whole: a load, a fraction.
func Share(x float64) Value { return Value{Text: strconv.FormatFloat(x, 'g', -1, 64), Number: x} }

// Word is a name: of a layout, say. It must not be empty.
func Word(s string) Value { return Value{Text: s} }

// Named is a thing under the name that it has in series and columns.
func Named(name string, of any) Value { return Value{Text: name, Of: of} }

// IntValues are whole numbers.
func IntValues(ns ...int) []Value {
	vs := make([]Value, len(ns))
	for i, n := range ns {
		vs[i] = Int(n)
	}
	return vs
}

// Applies tells whether there is a value.
func (v Value) Applies() bool { return v.Text != "" }

// Int is the whole number; of what is none it is 0.
func (v Value) Int() int { return int(v.Number) }

// Float is the number; of a word it is 0.
func (v Value) Float() float64 { return v.Number }

// String is the value as its cell in a table has it.
func (v Value) String() string { return v.Text }

// seed is the value in the text that a trial's seed follows from, in which none is 0.
func (v Value) seed() string {
	if !v.Applies() {
		return "0"
	}
	return v.Text
}

// texts are values as text.
func texts(vs []Value) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.Text
	}
	return out
}

// Values are those of an axis, in a profile, under what the axes before it have chosen. They are a pure function of the
// cell. They may panic with an error, which then is that of the plan.
type Values func(Cell) []Value

// List is fixed values.
func List(vs ...Value) Values { return func(Cell) []Value { return vs } }

// Ints is fixed whole numbers.
func Ints(ns ...int) Values { return List(IntValues(ns...)...) }

// Range is all whole numbers from one to another.
func Range(from, to int) Values {
	var ns []int
	for n := from; n <= to; n++ {
		ns = append(ns, n)
	}
	return Ints(ns...)
}

// Shares is fixed numbers that need not be whole.
func Shares(xs ...float64) Values { return ListOf(xs, Share) }

// Words is fixed names.
func Words(names ...string) Values { return ListOf(names, Word) }

// ListOf is a value for each of some things.
func ListOf[T any](things []T, value func(T) Value) Values {
	vs := make([]Value, len(things))
	for i, t := range things {
		vs[i] = value(t)
	}
	return List(vs...)
}

// By chooses by the profile.
func By(tiny, quick, paper Values) Values {
	return func(c Cell) []Value { return [...]Values{tiny, quick, paper}[c.Setup.Profile.index()](c) }
}

// From is one value that follows from what the axes before it have chosen.
func From(of func(Cell) Value) Values { return func(c Cell) []Value { return []Value{of(c)} } }

// Join is one list of values behind the other.
func Join(all ...Values) Values {
	return func(c Cell) (out []Value) {
		for _, vs := range all {
			out = append(out, vs(c)...)
		}
		return out
	}
}

// OwnPolicies are the kick policies of a user: a cuckoo.KickPolicy each.
func OwnPolicies(c Cell) (out []Value) {
	for _, p := range c.Setup.Own.Policies {
		own := "policy " + strconv.Quote(p.Name) + ", recipe " + p.Kick.Recipe()
		out = append(out, Value{Text: p.Name, Of: p.Kick, own: own})
	}
	return out
}

// OwnFilters are the filters of a user: a [Filter] each.
func OwnFilters(c Cell) (out []Value) {
	for i, f := range c.Setup.Own.Filters {
		out = append(out, Value{Text: f.Name, Number: float64(i), Of: f, own: "filter " + strconv.Quote(f.Name)})
	}
	return out
}

// OwnFamilies are the hash families of a user: a hashing.Hasher each.
func OwnFamilies(c Cell) (out []Value) {
	for _, h := range c.Setup.Own.Families {
		out = append(out, Value{Text: h.Recipe(), Of: h, own: "hash family " + strconv.Quote(h.Recipe())})
	}
	return out
}

// OwnSettings are the settings of the user's filter that the axis filter names: a [Setting] each.
func OwnSettings(c Cell) []Value {
	f, _ := c.Of("filter").(Filter)
	return ListOf(f.Settings, func(s Setting) Value {
		v := Int(s.Bits)
		v.Of = s
		return v
	})(c)
}

// A Size is a number of each profile: tiny, quick, paper.
type Size [3]int
