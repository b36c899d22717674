package lab_test

import (
	"context"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

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

// A program of one kick policy is the whole command nest.
func Example_program() {
	registry := experiments.Default()
	if err := registry.Register(lab.Policy{Name: "first slot", Kick: firstSlot{}}); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if status := cli.Main(registry, os.Args[1:], os.Stdout, os.Stderr); status != 0 {
		os.Exit(status)
	}
	// Output:
	// filter,f,b,placement,kick,hash,n,load,trial,seed,slots,offered,stored,refused_at,load_reached,kicks,longest_path,lost,false_positives,probes,measured_rate,rate_low,rate_high,predicted_rate,bits_per_item
	// cuckoo,12,4,additive,first slot,mix64,1024,1,0,0x411828a027b366e4,1024,1025,734,734,0.716797,64,8,0,2,4096,0.000488281,0.000133915,0.00177871,0.00139662,16.8283
}

// TestMain gives Example_program the arguments of a command.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Args = append(os.Args[:1], "sweep", "--kick", "first slot", "--slots", "2^10", "--load", "1", "--probes", "4096")
	os.Exit(m.Run())
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
		lab.Policy{Name: "first slot", Kick: firstSlot{}},
	)
	fmt.Println(err)
	fmt.Println(registry.Register(lab.Filter{Name: "bitmap"}))
	// Output:
	// <nil>
	// experiments: registry cannot be run: filter "bitmap" has no settings
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
