package catalogue

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// SlotBits is how many bits each of the 2^q slots of the paper's filters stands for, and PaperSlots is q in the paper:
	// all are made for the same space, 192 MiB.
	SlotBits, PaperSlots = 12, 27
	// BloomBits is what the paper gives its Bloom filters: bits an item. BloomHashes is their k.
	BloomBits, BloomHashes = 13, 9
	// quotientRemainder is the width of the quotient filter's remainder: three more bits are metadata.
	quotientRemainder = 9
	// The d-left filter's remainder shares the 12 bits of a slot with the counter. The paper does not state how;
	// counters of two bits are those of Bonomi et al. 2006.
	dleftRemainder, dleftCounter = 10, 2
	// countingCells is the width of a counter of the counting Bloom filter, the usual one and that of Fan et al. 2000.
	countingCells = 4
	// splitBlockBits are bits per key at FullLoad, as the reference measurements in C++ have them.
	splitBlockBits = 32. / 3
)

// BreadthFirstSeries is the cuckoo filter under this module's own policy, which the paper does not have.
const BreadthFirstSeries = "CF breadth-first"

// list are all filters under measurement. A new one takes one entry, whose fields say where it is: see [Entry].
var list = slices.Concat(paper(), cuckoos(), Layouts(), Blooms(), others())

// pick are the entries that are wanted.
func pick(wanted func(e Entry) bool) (all []Entry) {
	for _, e := range list {
		if wanted(e) {
			all = append(all, e)
		}
	}
	return all
}

// Paper returns the filters of the paper's tables and figures.
func Paper() []Entry { return pick(func(e Entry) bool { return e.Items != nil }) }

// WithBreadthFirst returns those of figure 7, and Table3 those of Table 3 and of figures 5, 6 and 8, in which the
// paper's six filters come first.
func WithBreadthFirst() []Entry { return pick(func(e Entry) bool { return e.fullest > 0 }) }

// Table3 are those of Table 3.
func Table3() []Entry {
	return pick(func(e Entry) bool { return e.fullest > 0 && e.Name != BreadthFirstSeries })
}

// Bench returns the filters of nest bench: the cuckoo filter under every placement and in every layout, and the Bloom
// filters. DefaultBench are those that are timed unless others are named, and Others those that only the league has.
func Bench() []Entry { return pick(func(e Entry) bool { return e.Params != "" && !e.League }) }

// DefaultBench returns those of Bench without the ones that must be named.
func DefaultBench() []Entry {
	return slices.DeleteFunc(Bench(), func(e Entry) bool { return e.ByName })
}

// Others returns those of the league besides Bench.
func Others() []Entry { return pick(func(e Entry) bool { return e.League }) }

// Kinds returns what nest size, nest bench --keys and the map of winners know: those without buckets first.
func Kinds() []Kind {
	var plain, bucketed []Kind
	for _, e := range list {
		switch {
		case e.Kind.Name == "":
		case e.Kind.Buckets == nil:
			plain = append(plain, e.Kind)
		default:
			bucketed = append(bucketed, e.Kind)
		}
	}
	return append(plain, bucketed...)
}

// paper are the filters of the paper's tables and figures, those of its Table 3 first, then the paper's cuckoo filter
// with breadth-first search, and the counting Bloom filter of Table 1.
func paper() []Entry {
	walk := cuckoo.Config{Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
	sorted, search := walk, walk
	sorted.Layout, search.Kick = cuckoo.SemiSorted, cuckoo.BreadthFirst
	cf := Entry{
		Name: "CF", Label: "cuckoo", Made: "buckets of 4 slots of 12 bits, XOR placement, random walk of at most 500 kicks",
		Slots: true, fullest: 1000,
		Items: untilFull, Predict: cuckooRate(SlotBits),
		Open: openCuckoo[fingerprint.Bits12](walk), trace: traceCuckoo(walk, SlotBits),
	}
	searched := cf
	searched.Name, searched.Label = BreadthFirstSeries, "cuckoo, breadth-first"
	searched.Open = openCuckoo[fingerprint.Bits12](search)
	return []Entry{cf, {
		Name: "ss-CF", Label: "semi-sorted cuckoo", Made: "as CF, fingerprints of 13 bits, of which one is saved by sorting",
		Slots: true, fullest: 1000,
		Items: untilFull, Predict: cuckooRate(SlotBits + 1),
		Open: openCuckoo[fingerprint.Bits13](sorted), trace: traceCuckoo(sorted, SlotBits+1),
	}, {
		Name: "BF", Label: "Bloom",
		Made:    "13 bits an item, 9 hashes, each of a further step of a generator that starts at the digest",
		fullest: 1000, keeps: true,
		Items:   bloomItems,
		Predict: func(q, items int) float64 { return bloom.PredictRate(SlotBits<<q, BloomHashes, items) },
		Open:    opens(bloomLoops, bloom.New, paperBloom),
		trace:   func(slots int, _ *measure.Loops) tracer { return traceCells(uint64(SlotBits*slots), BloomHashes, 1) },
	}, {
		Name: "blk-BF", Label: "blocked Bloom", Made: "13 bits an item, 9 independent bits in one block of 64 bytes",
		fullest: 1000, keeps: true,
		Items:   bloomItems,
		Predict: func(q, items int) float64 { return bloom.PredictBlockedRate(SlotBits<<q, BloomHashes, items) },
		Open:    opens(blockedLoops, bloom.NewBlocked, paperBloom),
		trace:   func(slots int, _ *measure.Loops) tracer { return traceBlocks(uint64(SlotBits * slots)) },
	}, {
		Name: "QF", Label: "quotient", Made: "remainders of 9 bits, 3 bits of metadata, filled to 90%",
		Slots: true, fullest: 950, // filled on to 95% in figures 6 and 7
		Items:   func(q int) int { return int(9 * (uint64(1) << q) / 10) },
		Predict: func(q, items int) float64 { return quotientfilter.Predict(items, q+quotientRemainder) },
		Open: opens(quotientLoops, quotientfilter.New, func(s Size) quotientfilter.Config {
			return quotientfilter.Config{QuotientBits: measure.Power2(s.Slots), RemainderBits: quotientRemainder, MaxLoad: 0.95}
		}),
		trace: func(_ int, f *measure.Loops) tracer {
			return tracer{reads: f.Filter.(*quotientfilter.Filter).Reads, answers: true}
		},
	}, {
		Name: "dl-CBF", Label: "d-left counting Bloom",
		Made:  "4 tables, buckets of 4 slots of a 10-bit remainder and a 2-bit counter",
		Slots: true, fullest: 800,
		Items: untilFull,
		Predict: func(q, items int) float64 {
			return counting.PredictDLeftRate(1<<q, dleftRemainder, items)
		},
		Open: opens(dleftLoops, counting.NewDLeft, paperDLeft),
		trace: func(slots int, _ *measure.Loops) tracer {
			return traceWays(4, slots/16, 4, dleftRemainder)
		},
	}, searched, {
		Name: "CBF", Label: "counting Bloom", Made: "13 counters of 4 bits an item, 9 hashes",
		Items: func(q int) int { return paperCounting(Size{Slots: 1 << q}).Slots / BloomBits },
		Predict: func(q, items int) float64 {
			return bloom.PredictRate(paperCounting(Size{Slots: 1 << q}).Slots, BloomHashes, items)
		},
		Open: opens(countingLoops, counting.New, paperCounting),
		trace: func(slots int, _ *measure.Loops) tracer {
			return traceCells(uint64(paperCounting(Size{Slots: slots}).Slots), BloomHashes, countingCells)
		},
	}}
}

// cuckooRate is the rate of a cuckoo filter of 4 slots a bucket.
func cuckooRate(width float64) func(q, items int) float64 {
	return func(q, items int) float64 { return claims.ExactRate(width, 4, lab.Quotient(items, 1<<q)) }
}

func untilFull(int) int { return 0 }

func bloomItems(q int) int { return (SlotBits << q) / BloomBits }

func paperBloom(s Size) bloom.Config {
	return bloom.Config{Slots: SlotBits * s.Slots, Hashes: BloomHashes}
}

func paperDLeft(s Size) counting.DLeftConfig {
	return counting.DLeftConfig{Slots: s.Slots, RemainderBits: dleftRemainder, CounterBits: dleftCounter}
}

// paperCounting has as many counters an item as the Bloom filter has bits.
func paperCounting(s Size) counting.Config {
	return counting.Config{Slots: SlotBits * s.Slots / countingCells, Hashes: BloomHashes, CounterBits: countingCells}
}

// An opener opens the loops of an empty filter.
type opener = func(s Size) (*measure.Loops, error)

// openCuckoo opens cuckoo filters like that of c, with the buckets or the capacity that the size says.
func openCuckoo[F fingerprint.Width](c cuckoo.Config) opener {
	return func(s Size) (*measure.Loops, error) {
		c := c
		if c.Seed = hashing.Mix64(^s.Seed); s.Keys > 0 {
			c.Capacity = s.Keys
		} else {
			c.Buckets = s.Slots / cmp.Or(c.BucketSize, 4)
		}
		f, err := cuckoo.New[F](c)
		if err != nil {
			return nil, err
		}
		out := finished(s, f, cuckooLoops[integers, F], cuckooLoops[digests, F])
		out.Build = func(hs []uint64) error { _, err := cuckoo.Build[F](c, hs); return err }
		return out, nil
	}
}

// finished are the loops of a filter for the keys that the size says.
func finished[T table](s Size, f T, hashed, ready func(T) measure.Loops) *measure.Loops {
	loops, of, complete := hashed, measure.Digester(measure.Mixed), opened
	if s.Digests {
		loops, of = ready, measure.Ready
	}
	if s.Unwritten {
		complete = over
	}
	return complete(f, loops(f), of)
}

// openScalable opens cuckoo filters that grow, from the smallest size unless they are made for the keys.
func openScalable[F fingerprint.Width](c cuckoo.ScalableConfig, sized bool) opener {
	return func(s Size) (*measure.Loops, error) {
		c := c
		if sized {
			c.Capacity = s.keys()
		}
		f, err := cuckoo.NewScalable[F](c)
		if err != nil {
			return nil, err
		}
		return finished(s, f, scalableLoops[integers, F], scalableLoops[digests, F]), nil
	}
}

// openConcurrent opens cuckoo filters that goroutines share, of buckets of as many slots as a word holds.
func openConcurrent[F fingerprint.Width](s Size) (*measure.Loops, error) {
	b := 64 / int(fingerprint.WidthOf[F]())
	f, err := cuckoo.NewConcurrent[F](cuckoo.Config{Capacity: s.Keys, Buckets: s.Slots / b})
	if err != nil {
		return nil, err
	}
	return finished(s, f, concurrentLoops[integers, F], concurrentLoops[digests, F]), nil
}

// openMaplet opens maplets whose values take what is left of 16 bits.
func openMaplet(s Size) (*measure.Loops, error) {
	m, err := maplet.New[fingerprint.Bits12](maplet.Config{Capacity: s.Keys, Buckets: s.Slots / 4, ValueBits: mapletValue})
	if err != nil {
		return nil, err
	}
	return finished(s, m, mapletLoops[integers, fingerprint.Bits12], mapletLoops[digests, fingerprint.Bits12]), nil
}

// Placements returns every placement of package cuckoo.
func Placements() (all []cuckoo.Placement) {
	for p := cuckoo.Placement(0); ; p++ {
		if _, err := p.MarshalText(); err != nil {
			return all
		}
		all = append(all, p)
	}
}

// Policies returns every built-in kick policy of package cuckoo.
func Policies() (all []cuckoo.KickPolicy) {
	for k := cuckoo.BreadthFirst; (cuckoo.Config{Buckets: 1, Kick: k}).Validate() == nil; k++ {
		all = append(all, k)
	}
	return all
}

// Cuckoo returns the cuckoo filter with 12-bit fingerprints and 4 slots a bucket, as the paper's, under a
// placement and a kick policy; nil is the default policy, breadth-first.
func Cuckoo(p cuckoo.Placement, kick cuckoo.KickPolicy) Entry {
	e := Entry{
		Name: "cuckoo-" + p.String(), Label: "cuckoo " + p.String(), Slots: true,
		Params: "filter=cuckoo/f=12/b=4/placement=" + p.String(), ByName: p == cuckoo.PlainXOR, // which is there as a warning
		Open: openCuckoo[fingerprint.Bits12](cuckoo.Config{Placement: p, Kick: kick}),
	}
	if kick != nil && kick.Recipe() != cuckoo.BreadthFirst.Recipe() {
		e.Name += "-" + kick.Recipe()
		e.Label += ", " + kick.Recipe()
		e.Params += "/kick=" + kick.Recipe()
	}
	return e
}

// cuckoos are those of every placement.
func cuckoos() (all []Entry) {
	for _, p := range Placements() {
		all = append(all, Cuckoo(p, nil))
	}
	all[0].Kind = Kind{Name: "cuckoo", Spec: nest.Spec{Kind: nest.Cuckoo}, Buckets: []int{2, 4, 8},
		When: ": take it if keys must be deleted", Counts: "It deletes. It holds at most 2b copies of one key" + insertOnce}
	return all
}

// insertOnce is what is said of copies.
const insertOnce = ": insert each key once, or use InsertUnique and delete nothing. A delete of a key that was never " +
	"inserted, or that InsertUnique skipped, can remove another's fingerprint. Insert returns ErrFull as seldom as " +
	"cuckoo.Filter.Capacity says."

// Layouts returns the cuckoo filters of every layout but the packed one, in the bucket sizes that suit it, under
// additive placement: each of the width at which its rate is that of 12 bits packed, at b = 4.
func Layouts() []Entry {
	entry := func(suffix, label string, width, b int, l cuckoo.Layout, open func(c cuckoo.Config) opener) Entry {
		params := fmt.Sprintf("filter=cuckoo/f=%d/b=%d/placement=%v/layout=%v", width, b, cuckoo.Additive, l)
		return Entry{Name: fmt.Sprintf("cuckoo-%v%s", l, suffix), Label: label, Slots: true, Params: params, ByName: true,
			Open: open(cuckoo.Config{BucketSize: b, Layout: l})}
	}
	all := []Entry{
		entry("", "semi-sorted cuckoo", 12, 4, cuckoo.SemiSorted, openCuckoo[fingerprint.Bits12]),
		entry("-4", "paired cuckoo b=4", 11, 4, cuckoo.PairedSlots, openCuckoo[fingerprint.Bits11]),
		entry("-8", "paired cuckoo b=8", 11, 8, cuckoo.PairedSlots, openCuckoo[fingerprint.Bits11]),
	}
	all[0].Kind = Kind{Name: "semi-sorted cuckoo", Spec: nest.Spec{Kind: nest.Cuckoo, Layout: cuckoo.SemiSorted},
		Buckets: []int{4}, Flag: "semi-sort", Counts: "It deletes. It holds at most 8 copies of one key" + insertOnce,
		Slower: "sorts the fingerprints of each bucket, with which lookups take 1.5 to 1.8 times as long, " +
			"in batches 4 to 6 times, and inserts and deletes 2 to 4 times"}
	all[1].Kind = Kind{Name: "paired cuckoo", Spec: nest.Spec{Kind: nest.Cuckoo, Layout: cuckoo.PairedSlots},
		Buckets: []int{4, 8}, Flag: "paired-slots",
		Counts: "It deletes. It holds at most 4 copies of one key, of some keys 2" + insertOnce,
		Slower: "lets a fingerprint be in two slots of each of its buckets, with which lookups and deletes take " +
			"up to 1.4 times as long, in batches up to 1.5 times, and filling it 1.4 to 2.1 times, without AVX-512 2 to 6"}
	return all
}

// named is an entry whose parameters begin with its name.
func named(name, params string, open opener, k Kind) Entry {
	return Entry{Name: name, Label: cmp.Or(k.Name, name), Params: "filter=" + name + "/" + params, Kind: k, Open: open}
}

// bloomOf are Bloom filters of so many bits a key.
func bloomOf(bits float64, hashes int) func(Size) bloom.Config {
	return func(s Size) bloom.Config {
		return bloom.Config{Slots: max(1, int(float64(s.keys())*bits)), Hashes: hashes}
	}
}

// Blooms returns the Bloom filters: of 13 bits and 9 hashes a key, in one piece and in cache lines, and
// the split-block filter of 10.67 bits a key.
func Blooms() []Entry {
	return []Entry{
		named("bloom", "bits=13/k=9", opens(bloomLoops, bloom.New, bloomOf(BloomBits, BloomHashes)), Kind{
			Name: "bloom", Spec: nest.Spec{Kind: nest.Bloom},
			When: ": it cannot delete; the lower the rate, the better cuckoo filters compare " +
				"(Fan et al. 2014, figure 4: their lines cross at 0.36%)",
		}),
		named("blocked-bloom", "bits=13/k=9", opens(blockedLoops, bloom.NewBlocked, bloomOf(BloomBits, BloomHashes)), Kind{
			Name: "blocked bloom", Spec: nest.Spec{Kind: nest.BlockedBloom},
			When: ": take it if one cache line per lookup is worth that",
		}),
		named("split-block-bloom", "bits=10.67", opens(splitLoops, bloom.NewSplitBlock, bloomOf(splitBlockBits, 0)), Kind{
			Name: "split-block bloom", Spec: nest.Spec{Kind: nest.SplitBlock},
			When: ": take it to share bytes with Parquet",
		}),
	}
}

// others are filters that only the league has: the cuckoo filter of 8 and 16 bits, those that grow, that goroutines
// share, that count, and that take no key later.
func others() []Entry {
	slotted := func(kind string, width int, label string, open opener) Entry {
		params := fmt.Sprintf("filter=%s/f=%d/b=4/placement=%v", kind, width, cuckoo.Additive)
		return Entry{Name: fmt.Sprintf("%s-%d", kind, width), Label: label, Params: params, Slots: true, Open: open}
	}
	growing := openScalable[fingerprint.Bits16](cuckoo.ScalableConfig{}, false)
	all := []Entry{
		slotted("cuckoo", 8, "cuckoo, 8 bits", openCuckoo[fingerprint.Bits8](cuckoo.Config{})),
		slotted("cuckoo", 16, "cuckoo, 16 bits", openCuckoo[fingerprint.Bits16](cuckoo.Config{})),
		slotted("concurrent", 16, "concurrent cuckoo, 16 bits", openConcurrent[fingerprint.Bits16]),
		{Name: "scalable-16", Label: "growing cuckoo, 16 bits", Params: "filter=scalable/f=16/b=4", Open: growing},
		named("concurrent-bloom", "bits=13/k=9",
			opens(sharedBloomLoops, bloom.NewConcurrent, bloomOf(BloomBits, BloomHashes)), Kind{}),
		named("counting", "counters=10/k=7/bits=4", opens(countingLoops, counting.New, func(s Size) counting.Config {
			return counting.Config{Slots: max(1, 10*s.keys()), Hashes: 7, CounterBits: countingCells}
		}), Kind{
			Name: "counting bloom", Spec: nest.Spec{Kind: nest.Counting},
			When: ": it pays 4 bits for a counter where a Bloom filter has one bit", Counts: "It deletes.",
		}),
		named("dleft", "r=10/c=2", opens(dleftLoops, counting.NewDLeft, func(s Size) counting.DLeftConfig {
			return counting.DLeftConfig{Capacity: s.keys(), RemainderBits: dleftRemainder, CounterBits: dleftCounter}
		}), Kind{
			Name: "d-left counting bloom", Spec: nest.Spec{Kind: nest.DLeft}, When: ": take it if keys are counted",
			Counts: "It deletes and counts, each key to 4. A full table returns ErrFull, as a cuckoo filter's does.",
		}),
	}
	static := []Entry{
		static[fingerprint.Bits8](8, 4), static[fingerprint.Bits8](8, 3), static[fingerprint.Bits12](12, 4),
		static[fingerprint.Bits16](16, 4), static[fingerprint.Bits16](16, 3),
	}
	static[0].Kind = Kind{
		Name: "binary fuse", Spec: nest.Spec{Kind: nest.Fuse}, Flag: "static",
		Slower: "is built of all keys at once, by nest.Build, and no key comes or goes later",
		Counts: "It takes no key after it is built, and none is deleted.",
	}
	all = append(all, static...)
	for i := range all {
		all[i].League = true
	}
	return all
}

// static is a binary fuse filter of slots in so many segments. Its keys need no hashing: it mixes them itself.
func static[F fingerprint.Width](width, segments int) Entry {
	name := fmt.Sprintf("fuse-%d", width)
	if segments != 4 {
		name += fmt.Sprintf(" of %d segments", segments)
	}
	params := fmt.Sprintf("filter=fuse/f=%d/segments=%d", width, segments)
	return Entry{Name: name, Label: "binary " + name, Params: params, Static: true,
		Open: func(s Size) (*measure.Loops, error) {
			c := fuse.Config{Segments: segments}
			return staticLoops(s.keys(), func(hs []uint64) (*fuse.Filter[F], error) { return fuse.Build[F](c, hs) }), nil
		}}
}

// as are entries of the list for a study, each with the name that it has there before its own.
func as(names ...string) (all []Entry) {
	for i := 0; i < len(names); i += 2 {
		e, _ := Find(names[i+1])
		all = append(all, Entry{Name: names[i], Open: e.Open})
	}
	return all
}

// Paired returns the filters of the study of paired slots, the one that the others are compared with first.
func Paired() []Entry {
	return as("plain, 12 bits, b = 4", "cuckoo-additive", "paired, 11 bits, b = 4", "cuckoo-paired-4",
		"paired, 11 bits, b = 8", "cuckoo-paired-8", "semi-sorted, 12 bits, b = 4", "cuckoo-semisorted")
}

// Growing returns those of the study of growth, of 16 bits: the filter of the right size, growing ones that start with
// 1024 keys, and one that has no need to grow.
func Growing() []Entry {
	open := openScalable[fingerprint.Bits16]
	return append(as("Filter, right size", "cuckoo-16", "grown in steps", "scalable-16"),
		Entry{Name: "grown at once", Open: open(cuckoo.ScalableConfig{Kick: cuckoo.LookAhead}, false)},
		Entry{Name: "growing, made for n", Open: open(cuckoo.ScalableConfig{}, true)})
}

// Shared returns those of the study of sharing: in pairs a filter for one goroutine and one for several.
func Shared() []Entry {
	all := as("Filter, 12 bits", "cuckoo-additive", "Concurrent, 12 bits", "", "Filter, 16 bits", "cuckoo-16",
		"Concurrent, 16 bits", "concurrent-16")
	all[1].Open = openConcurrent[fingerprint.Bits12]
	return all
}

// Each returns those of the study of kinds: every kind of cuckoo filter beside a plain one, those of 12 bits first, and
// how many these are.
func Each() (all []Entry, narrow int) {
	all = append(Paired(), as("plain, 12 bits, XOR", "cuckoo-xor")...)
	anyWidth := openCuckoo[fingerprint.Any](cuckoo.Config{FingerprintBits: 12})
	all = append(all, Entry{Name: "plain, width at run time", Open: anyWidth},
		Entry{Name: "Concurrent, 12 bits", Open: openConcurrent[fingerprint.Bits12]})
	narrow = len(all)
	all = append(all, as("plain, 16 bits", "cuckoo-16", "grown, 16 bits", "scalable-16",
		"Concurrent, 16 bits", "concurrent-16")...)
	return append(all, Entry{Name: "maplet, 12 bits and 4 of value", Open: openMaplet}), narrow
}
