package lab

import "testing"

func TestValue_TextsAndSeeds(t *testing.T) {
	for _, c := range []struct {
		v          Value
		cell, seed string
		whole      int
		number     float64
		applies    bool
	}{
		{None, "", "0", 0, 0, false},
		{Int(0), "0", "0", 0, 0, true},
		{Int(1 << 30), "1073741824", "1073741824", 1 << 30, 1 << 30, true},
		{Share(0.95), "0.95", "0.95", 0, 0.95, true},
		{Word("xor"), "xor", "xor", 0, 0, true},
	} {
		if c.v.String() != c.cell || c.v.seed() != c.seed || c.v.Int() != c.whole || c.v.Float() != c.number || c.v.Applies() != c.applies {
			t.Errorf("%#v: cell %q, seed %q, %d, %v, applies %t", c.v, c.v.String(), c.v.seed(), c.v.Int(), c.v.Float(), c.v.Applies())
		}
	}
	if Int(3) != IntValues(3)[0] || Int(3) == Word("3") {
		t.Error("equal values differ, or a word is a number")
	}
}
