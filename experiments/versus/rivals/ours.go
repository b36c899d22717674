package rivals

import (
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus"
	"github.com/nestfilter/nest/fingerprint"
)

// own is a contender of this project.
func own(name string, open func(n int) (*measure.Loops, error)) Contender {
	return Contender{Name: "nest " + name, Group: Ours, Module: versus.OursModule, New: open}
}

// smallSlots bounds filters that few choose by speed, and that at 2^24 slots take most of the time of a run: those of
// small, and some of other modules.
const smallSlots = 1 << 20

var small = []string{"concurrent-bloom", "counting", "dleft"}

// ours are the filters of this project: by integers those of the catalogue, whose keys go through hashing.Mix64, and
// some by bytes, to stand beside modules that take nothing else.
func ours() []Contender {
	var all []Contender
	warning := catalogue.Cuckoo(cuckoo.PlainXOR, nil).Name
	for _, s := range slices.Concat(catalogue.Bench(), catalogue.Others()) {
		c := own(s.Name, func(n int) (*measure.Loops, error) { return s.Open(catalogue.Size{Slots: n}) })
		if c.Static = s.Static; c.Static {
			c.Remark = isStatic
		}
		if slices.Contains(small, s.Name) {
			c.MaxSlots = smallSlots
		}
		if s.Name != warning {
			all = append(all, c)
		}
	}
	rate := func(n int) bloom.Config { return bloom.Config{Capacity: KeysOf(n), FalsePositiveRate: lowRate} }
	for _, c := range []Contender{
		own("cuckoo-additive", cuckooBytes[fingerprint.Bits12]),
		own("cuckoo-8", cuckooBytes[fingerprint.Bits8]),
		own("bloom", func(n int) (*measure.Loops, error) { return bloomBytes(bloom.New(rate(n))) }),
		own("blocked-bloom", func(n int) (*measure.Loops, error) { return bloomBytes(bloom.NewBlocked(rate(n))) }),
		own("split-block-bloom", func(n int) (*measure.Loops, error) {
			return bloomBytes(bloom.NewSplitBlock(bloom.Config{Slots: splitBits * KeysOf(n)}))
		}),
		forgetful(),
	} {
		c.Name += " by bytes"
		c.Bytes = true
		all = append(all, c)
	}
	return all
}

func cuckooBytes[F fingerprint.Width](n int) (*measure.Loops, error) {
	f, err := cuckoo.New[F](cuckoo.Config{Buckets: n / 4})
	if err != nil {
		return nil, err
	}
	l := byBytes(func(key []byte) error { return f.Insert(key) },
		func(key []byte) bool { return f.Contains(key) }, f.SizeBytes)
	l.Batches, l.Remove = inBatches(f.ContainsKeys), removing(func(key []byte) bool { return f.Delete(key) })
	return l, nil
}

// bloomBytes has the loops of our Bloom filters: one set of loops, whose calls go through an interface, which a
// processor predicts.
func bloomBytes[F interface {
	Insert(key []byte)
	Contains(key []byte) bool
	ContainsKeys(keys [][]byte, dst []bool)
	SizeBytes() int
}](f F, err error) (*measure.Loops, error) {
	if err != nil {
		return nil, err
	}
	l := byBytes(func(key []byte) error { f.Insert(key); return nil },
		func(key []byte) bool { return f.Contains(key) }, f.SizeBytes)
	l.Batches = inBatches(f.ContainsKeys)
	return l, nil
}

// forgetful is a filter that forgets, at a rate of 1% of as many keys in a window as n slots hold.
func forgetful() Contender {
	c := own("window-10", func(n int) (*measure.Loops, error) {
		f, err := window.New[fingerprint.Bits10](window.Config{PerWindow: KeysOf(n)})
		if err != nil {
			return nil, err
		}
		l := byBytes(func(key []byte) error { return f.Insert(key) },
			func(key []byte) bool { return f.Contains(key) }, f.SizeBytes)
		l.Batches = inBatches(f.ContainsKeys)
		return l, nil
	})
	c.Remark = "forgets keys a window after they came, here none; has room for a fourteenth more"
	return c
}
