package speed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Ints reads a list of integers and ranges of them. The error is [ErrGrid].
func Ints(text string) ([]int, error) {
	values, err := Floats(text)
	out := make([]int, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || math.Abs(v) > 1<<40 || v > math.MaxInt {
			return nil, fmt.Errorf("%w: %v is no whole number in range", ErrGrid, v)
		}
		out[i] = int(v)
	}
	return out, err
}

// Floats reads a list of numbers and ranges of them. The values are in the order in which they are given, each once. A
// range without a step goes up by 1 and is one of whole numbers.
func Floats(text string) (out []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		values, err := span(strings.TrimSpace(part))
		if err != nil || len(out) > maxCells {
			return out, err
		}
		out = append(out, values...)
	}
	seen := map[float64]bool{}
	return slices.DeleteFunc(out, func(v float64) bool { was := seen[v]; seen[v] = true; return was }), nil
}

// span reads a number or a range.
func span(text string) ([]float64, error) {
	bad := func(format string, args ...any) ([]float64, error) {
		return nil, fmt.Errorf("%w: %q: "+format, append([]any{ErrGrid, text}, args...)...)
	}
	const want = "want a number such as 12, 1e6, 2^20 or 0.95, or a range such as 8..16 or 0.5..0.9:0.1"
	first, rest, isRange := strings.Cut(text, "..")
	from, ok := number(first)
	if !ok {
		return bad(want)
	}
	if !isRange {
		return []float64{from}, nil
	}
	last, by, hasStep := strings.Cut(rest, ":")
	to, ok := number(last)
	step := 1.0
	if hasStep && ok {
		step, ok = number(by)
	}
	switch {
	case !ok || !(step > 0) || !(to >= from):
		return bad(want)
	case !hasStep && (from != math.Trunc(from) || to != math.Trunc(to)):
		return bad("want a step behind a colon, such as %s..%s:0.1, since the ends are no whole numbers", first, last)
	case from < to && steps(from, to, step) < 1:
		return bad("want a step of at most %.6g, which leads from one end to the other", to-from)
	}
	count := steps(from, to, step)
	if count >= maxCells {
		return bad("want at most %d values; a step behind a colon makes fewer", maxCells)
	}
	var out []float64
	for i := range int(count) + 1 {
		// 0.1 steps give 0.7, not 0.7000000000000001.
		v, err := strconv.ParseFloat(strconv.FormatFloat(from+float64(float64(i)*step), 'g', 12, 64), 64)
		if err != nil {
			return bad(want)
		}
		out = append(out, v)
	}
	return out, nil
}

func steps(from, to, step float64) float64 { return math.Floor((to-from)/step + 1e-9) }

func number(text string) (float64, bool) {
	if power, ok := strings.CutPrefix(text, "2^"); ok {
		k, err := strconv.ParseUint(power, 10, 6)
		return math.Ldexp(1, int(k)), err == nil && k <= 40
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
