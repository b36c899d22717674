package lab_test

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/cli"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// bitmap is a filter of one's own: one bit of a table for every key, with 1/8 of the bits set at the end. It stands for
// any filter that takes digests.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, n/8+1) }

func (b bitmap) place(digest uint64) (word int, bit uint64) {
	i := digest % uint64(64*len(b))
	return int(i / 64), 1 << (i % 64)
}

func (b bitmap) Insert(digest uint64) error {
	word, bit := b.place(digest)
	b[word] |= bit
	return nil
}

func (b bitmap) Contains(digest uint64) bool {
	word, bit := b.place(digest)
	return b[word]&bit != 0
}

// A filter of one's own becomes a line of marks in figures 3 and 4. Its first setting is a seventh filter in Table 3
// and in figures 5 to 8.
func ExampleRegistry_filter() {
	registry, err := experiments.Default().Only("fig3")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry.Filters = append(registry.Filters, lab.Filter{
		Name: "bitmap",
		Settings: []lab.Setting{{
			Bits:  8,
			OneIn: 8,
			New: func(n int, _ uint64) (lab.Instance, error) {
				b := newBitmap(n)
				return lab.Adapt(b.Insert, b.Contains, 8*len(b)), nil
			},
		}},
	})
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fig3 := findings[0]
	for _, s := range fig3.Figures[0].Panels[0].Series {
		if s.Label == "bitmap" {
			fmt.Printf("in the chart: rate %.2f, %.2f bits above the bound\n", s.Points[0].X, s.Points[0].Y)
		}
	}
	g := fig3.Data.Select("bitmap")[0]
	fmt.Println("lost:", g.Sum("lost"))
	// Output:
	// in the chart: rate 0.11, 4.91 bits above the bound
	// lost: 0
}

// firstSlot is a kick policy of one's own: it always kicks the first slot, of the bucket where the fingerprint kicked
// last could go.
type firstSlot struct{}

func (firstSlot) Recipe() string { return "first-slot" }

func (firstSlot) Kick(w *cuckoo.Walk) {
	for w.Homeless() != 0 && w.Left() > 0 {
		_, alternate := w.Homes()
		if slot, ok := w.Free(alternate); ok {
			w.Swap(alternate, slot)
			return
		}
		if !w.Swap(alternate, 0) {
			return
		}
	}
}

// A kick policy of one's own becomes a line in each panel of figure 2.
func ExampleRegistry_policy() {
	registry, err := experiments.Default().Only("fig2")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry.Policies = append(registry.Policies, lab.Policy{Name: "first slot", Kick: firstSlot{}, Placement: cuckoo.XOR})
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range findings[0].Figures[0].Panels[0].Series {
		fmt.Println(s.Label)
	}
	// Output:
	// random walk, m = 2^{6}
	// random walk, m = 2^{8}
	// breadth-first
	// first slot
}

// A hash family becomes a line in figure 3, filled with consecutive integers as keys.
func ExampleRegistry_family() {
	registry, err := experiments.Default().Only("fig3")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry.Families = append(registry.Families, hashing.Metro64(7))
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(findings[0].Data.Series(), "; "))
	// Output:
	// b = 2; b = 4; b = 8; b = 4, metro64:7
}

// Register takes all parts of one's own at once and says what is wrong with them.
func ExampleRegistry_Register() {
	registry := experiments.Default()
	err := registry.Register(
		hashing.Metro64(7),
		lab.Policy{Name: "first slot", Kick: firstSlot{}, Placement: cuckoo.XOR},
	)
	fmt.Println(err)
	fmt.Println(registry.Register(lab.Filter{Name: "bitmap"}))
	// Output:
	// <nil>
	// experiments: registry cannot be run: filter "bitmap" has no settings
}

// A program's own command: everything that nest does, with the program's parts. A main function passes os.Args[1:] and
// hands the status to os.Exit.
func Example_command() {
	registry := experiments.Default()
	err := registry.Register(lab.Filter{
		Name: "bitmap",
		Settings: []lab.Setting{{
			Bits:  8,
			OneIn: 8,
			New: func(n int, _ uint64) (lab.Instance, error) {
				b := newBitmap(n)
				return lab.Adapt(b.Insert, b.Contains, 8*len(b)), nil
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	args := strings.Fields("sweep --filter bitmap --slots 2^10,2^11 --probes 4096")
	status := cli.Main(registry, args, os.Stdout, io.Discard)
	fmt.Println("status", status)
	// Output:
	// filter,f,b,placement,kick,hash,n,load,trial,seed,slots,offered,stored,refused_at,load_reached,kicks,longest_path,lost,false_positives,probes,measured_rate,rate_low,rate_high,predicted_rate,bits_per_item
	// bitmap,8,,,,mix64,1024,0.95,0,0xa5f54da39bd9b857,,972,972,,,,,0,472,4096,0.115234,0.105814,0.125375,,8.49383
	// bitmap,8,,,,mix64,2048,0.95,0,0xed0710b2319b6f70,,1945,1945,,,,,0,448,4096,0.109375,0.10018,0.119302,,8.45656
	// status 0
}

// A kick policy of one's own comes into Table 3 and figures 4 to 8 inside a filter.
func ExampleFilter() {
	registry, err := experiments.Default().Only("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = registry.Register(lab.Filter{
		Name: "CF, first slot",
		Settings: []lab.Setting{{
			Bits:  12,
			OneIn: 512,
			New: func(n int, seed uint64) (lab.Instance, error) {
				buckets := 1 << bits.Len(uint(n-1)/4) // as many as the paper's filter has
				return cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: buckets, Placement: cuckoo.XOR, Kick: firstSlot{}, Seed: seed})
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, series := range []string{"CF", "CF, first slot"} {
		g := findings[0].Data.Select(series)[0]
		fmt.Printf("%s: %d keys, %d lost\n", series, g.Rows[0].Count("items"), g.Sum("lost"))
	}
	// Output:
	// CF: 1989 keys, 0 lost
	// CF, first slot: 1502 keys, 0 lost
}

// A hash family of one's own comes into the same figures over any filter.
func ExampleUnderHash() {
	registry, err := experiments.Default().Only("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = registry.Register(lab.Filter{
		Name: "CF, metro64",
		Settings: []lab.Setting{{
			Bits:  12,
			OneIn: 512,
			New: func(n int, seed uint64) (lab.Instance, error) {
				f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: n, Seed: seed})
				if err != nil {
					return nil, err
				}
				return lab.UnderHash(hashing.Metro64(7), f), nil
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	findings, err := registry.Run(context.Background(), lab.Options{Profile: lab.Tiny, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := findings[0].Data.Select("CF, metro64")[0]
	fmt.Printf("%d keys, %d lost\n", g.Rows[0].Count("items"), g.Sum("lost"))
	// Output:
	// 1913 keys, 0 lost
}
