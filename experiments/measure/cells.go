package measure

import (
	"cmp"
	"context"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/hashing"
)

// Kicks are kick policies as values of the axis kick.
func Kicks(all ...cuckoo.KickPolicy) lab.Values {
	return lab.ListOf(all, func(k cuckoo.KickPolicy) lab.Value { return lab.Named(k.Recipe(), k) })
}

// Placements are values of the axis placement.
func Placements(all ...cuckoo.Placement) lab.Values {
	return lab.ListOf(all, func(p cuckoo.Placement) lab.Value { return lab.Named(p.String(), p) })
}

// Walk is the paper's way of inserting as axes: XOR placement and a random walk.
var Walk = []lab.Axis{lab.Over("kick", Kicks(cuckoo.RandomWalk)), lab.Over("placement", Placements(cuckoo.XOR))}

// Config is the configuration of the cuckoo filter of a cell, by those of the axes b, buckets, slots, n, kicks, layout,
// kick, placement and policy that it has.
func Config(c lab.Cell) cuckoo.Config {
	out := cuckoo.Config{BucketSize: c.Int("b"), Buckets: c.Int("buckets"), Capacity: c.Int("n"),
		MaxKicks: c.Int("kicks"), MaxBytes: math.MaxInt}
	if c.Has("slots") {
		out.Buckets = c.Int("slots") / max(out.BucketSize, 1)
	}
	out.Layout, _ = c.Of("layout").(cuckoo.Layout)
	out.Kick, _ = cmp.Or(c.Of("kick"), c.Of("policy")).(cuckoo.KickPolicy)
	out.Placement, _ = c.Of("placement").(cuckoo.Placement)
	return out
}

// Slots is the number of slots of the cuckoo filter of a cell, by its axes b and buckets or slots.
func Slots(c lab.Cell) int {
	k := Config(c)
	return k.Buckets * max(k.BucketSize, 1)
}

// Fill fills the cuckoo filter of a cell of f bits a fingerprint until it refuses a key.
var Fill = lab.Trial{
	Counts: "slots stored",
	Needs: func(c lab.Cell) (float64, int64) {
		n := Slots(c)
		return float64(n), int64(n) * int64(c.Int("f")) / 8
	},
	Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
		f, err := NewCuckoo(c.Int("f"), Config(c), seed)
		if err != nil {
			return nil, err
		}
		stored, err := Insert(ctx, &Stream{Next: seed}, f, Slots(c)+1)
		return []int{f.Slots(), stored}, err
	},
}

// FillColumns follow from the counts of [Fill].
var FillColumns = []lab.Column{{Name: "load_factor", Of: lab.Div("stored", "slots")}}

// Load is the load factor of a group, with the range of its trials.
var Load = lab.Spread("stored", "slots")

// Asked is how [FillAndProbe] fills and asks the filter of a cell. What is nil is that of a cuckoo filter, or of the
// filter of a user if the axis f is one of its settings.
type Asked struct {
	Keys   func(lab.Cell) int // offered; nil is [Slots]
	Probes func(lab.Cell) int // absent keys that are asked for
	New    func(c lab.Cell, seed uint64) (lab.Instance, error)
	Keyed  func(c lab.Cell, seed uint64) Stream
	Needs  func(lab.Cell) (float64, int64)
}

// FillAndProbe fills the filter of a cell with random keys, or with consecutive integers under the family of the axis
// hash, looks every key up again and asks for absent ones.
func FillAndProbe(a Asked) lab.Trial {
	if a.Keys == nil {
		a.Keys = Slots
	}
	if a.New == nil {
		a.New = newOf
	}
	if a.Keyed == nil {
		a.Keyed = func(c lab.Cell, seed uint64) Stream {
			h, _ := c.Of("hash").(hashing.Hasher)
			return Stream{Next: seed, Hash: h}
		}
	}
	needs := a.Needs
	if needs == nil {
		needs = func(c lab.Cell) (float64, int64) {
			n := a.Keys(c)
			bits := cmp.Or(max(c.Int("f"), c.Int("bits")), 32)
			return float64(2*n + a.Probes(c)), int64(n) * int64(bits) / 8
		}
	}
	return lab.Trial{
		Counts: "stored size_bytes lost probes false_positives",
		Needs:  needs,
		Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
			f, err := a.New(c, seed)
			if err != nil {
				return nil, err
			}
			return CountRate(ctx, a.Keyed(c, seed), f, a.Keys(c), a.Probes(c))
		},
	}
}

// newOf makes the filter that a cell names.
func newOf(c lab.Cell, seed uint64) (lab.Instance, error) {
	if s, ok := c.Of("f").(lab.Setting); ok {
		return s.New(Slots(c), seed)
	}
	return NewCuckoo(c.Int("f"), Config(c), seed)
}

// Rate is the false-positive rate of a group, all trials pooled.
var Rate = lab.Pooled("false_positives", "probes")

// BitsPerItem is that of a group's filters, for the keys that they hold.
var BitsPerItem = lab.Ratio(8, "size_bytes", "stored")

// In is a number of the profile.
func In(s lab.Size) func(lab.Cell) int { return func(c lab.Cell) int { return c.In(s) } }

// Of is the number of an axis.
func Of(axis string) func(lab.Cell) int { return func(c lab.Cell) int { return c.Int(axis) } }

// RateColumns follow from the counts of [FillAndProbe].
var RateColumns = []lab.Column{
	{Name: "bits_per_item", Of: lab.Per(8, "size_bytes", "stored")},
	{Name: "false_positive_rate", Of: lab.Div("false_positives", "probes")},
}

// Exponent is an axis whose values are powers of two, by the exponents that the axis before has.
func Exponent(name, of string) lab.Axis {
	return lab.Over(name, lab.From(func(c lab.Cell) lab.Value { return lab.Int(1 << c.Int(of)) }))
}
