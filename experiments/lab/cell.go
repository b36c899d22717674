package lab

import (
	"slices"
	"strings"
)

// A Cell is one choice of parameters.
type Cell struct {
	Setup  Setup
	Series string
	Trials int // how often it is measured
	Bed    any // what Trial.Bed made, while the trial runs

	names  []string
	values []Value
}

// Value is the value of an axis; [None] if there is no such axis.
func (c Cell) Value(axis string) Value {
	if i := slices.Index(c.names, axis); i >= 0 {
		return c.values[i]
	}
	return None
}

// Has tells whether an axis has a value here.
func (c Cell) Has(axis string) bool { return c.Value(axis).Applies() }

// Int is the number of an axis, if it is whole.
func (c Cell) Int(axis string) int { return c.Value(axis).Int() }

// Float is the number of an axis.
func (c Cell) Float(axis string) float64 { return c.Value(axis).Number }

// Text is the value of an axis as a table has it.
func (c Cell) Text(axis string) string { return c.Value(axis).Text }

// Of is what the value of an axis stands for.
func (c Cell) Of(axis string) any { return c.Value(axis).Of }

// Own tells whether a part of a user is in the cell.
func (c Cell) Own() bool {
	return slices.ContainsFunc(c.values, func(v Value) bool { return v.own != "" })
}

// In is the number of the cell's profile.
func (c Cell) In(s Size) int { return s[c.Setup.Profile.index()] }

// Times makes the number of trials one of each profile.
func Times(tiny, quick, paper int) func(Cell) int {
	return func(c Cell) int { return c.In(Size{tiny, quick, paper}) }
}

// With is the cell with one more axis, or with another value of one that it has.
func (c Cell) With(axis string, v Value) Cell {
	c.names, c.values = slices.Clone(c.names), slices.Clone(c.values)
	if i := slices.Index(c.names, axis); i >= 0 {
		c.values[i] = v
		return c
	}
	c.names, c.values = append(c.names, axis), append(c.values, v)
	return c
}

// Fill replaces the names of axes in braces by their values.
func (c Cell) Fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	text = strings.ReplaceAll(text, "{series}", c.Series)
	for i, name := range c.names {
		text = strings.ReplaceAll(text, "{"+name+"}", c.values[i].Text)
	}
	return text
}

// walk calls do for every choice of the axes.
func walk(c Cell, axes []Axis, do func(Cell)) {
	if len(axes) == 0 {
		do(c)
		return
	}
	for _, v := range axes[0].Of(c) {
		walk(c.With(axes[0].Name, v), axes[1:], do)
	}
}
