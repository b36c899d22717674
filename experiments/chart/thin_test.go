package chart

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestThin_KeepsWhatShows compares, column by column, what is left of a long line with all of it.
func TestThin_KeepsWhatShows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var line []vg.Point
	for i := range 5 * fewPoints {
		line = append(line, vg.Point{X: vg.Length(i) / 100, Y: vg.Length(rng.Float64())})
	}
	kept := thin(line)
	if len(kept) > len(line)/4 || len(thin(line[:fewPoints])) != fewPoints {
		t.Errorf("%d of %d points", len(kept), len(line))
	}
	type seen struct{ low, high, first, last vg.Length }
	columns := func(line []vg.Point) map[int]seen {
		out := map[int]seen{}
		for _, p := range line {
			at := int(p.X / column)
			s, ok := out[at]
			if !ok {
				s = seen{p.Y, p.Y, p.Y, p.Y}
			}
			out[at] = seen{min(s.low, p.Y), max(s.high, p.Y), s.first, p.Y}
		}
		return out
	}
	all, some := columns(line), columns(kept)
	if len(all) != len(some) {
		t.Errorf("%d columns of %d", len(some), len(all))
	}
	for at, s := range all {
		if some[at] != s {
			t.Fatalf("seed 1: column %d has %v, want %v", at, some[at], s)
		}
	}
}

func TestPieces_CoverEveryCorner(t *testing.T) {
	var line []vg.Point
	for i := range fewPoints {
		line = append(line, vg.Point{X: vg.Length(i)})
	}
	short := line[:10]
	cut := pieces([][]vg.Point{line, short, nil})
	if n := len(cut); !slices.Equal(cut[n-2], short) || len(cut[n-1]) != 0 {
		t.Error("short lines are cut")
	}
	corners := make([]bool, len(line))
	for _, piece := range cut[:len(cut)-2] {
		for i := 1; i < len(piece)-1; i++ {
			corners[int(piece[i].X)] = true
		}
	}
	if at := slices.Index(corners[1:len(line)-1], false); at >= 0 || cut[0][0] != line[0] ||
		cut[len(cut)-3][len(cut[len(cut)-3])-1] != line[len(line)-1] {
		t.Errorf("no piece has corner %d inside", at+1)
	}
}
