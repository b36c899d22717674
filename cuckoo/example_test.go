package cuckoo_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func Example() {
	// A million keys at a false-positive rate of 0.19%: about 12.5 bits per key.
	seen, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	if err := seen.InsertString("alice@example.org"); err != nil {
		log.Print(err) // ErrFull: the key is not stored, and nothing is lost
	}
	fmt.Println(seen.ContainsString("alice@example.org"), seen.ContainsString("bob@example.org"))
	seen.DeleteString("alice@example.org")
	// Output: true false
}

// An integer is a digest through hashing.Mix64. The verbs that take digests are the fastest.
func Example_integers() {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: 1000, Hash: hashing.DigestsOnly})
	if err != nil {
		log.Fatal(err)
	}
	if err := f.InsertHash(hashing.Mix64(42)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.ContainsHash(hashing.Mix64(42)), f.ContainsHash(hashing.Mix64(43)))
	// Output: true false
}

// A UUID, an IPv6 address or a checksum is its bytes. A slice of an array on the stack allocates nothing.
func Example_uuids() {
	f, err := cuckoo.New[fingerprint.Any](cuckoo.Config{Capacity: 1000, FalsePositiveRate: 0.001})
	if err != nil {
		log.Fatal(err)
	}
	uuid := [16]byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	if err := f.Insert(uuid[:]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Contains(uuid[:]), f.Config().FingerprintBits, "bits")
	// Output: true 13 bits
}

// A struct of comparable fields has a digest in this process, from hashing.Comparable. For a filter that is stored, append
// its fields to a byte slice, each with a fixed size or with its length before it, and use that as the key.
func Example_structs() {
	type visit struct {
		User uint32
		Page string
	}
	f, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: 1000, Hash: hashing.MapHash()})
	if err != nil {
		log.Fatal(err)
	}
	if err := f.InsertHash(hashing.Comparable(visit{7, "/news"})); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.ContainsHash(hashing.Comparable(visit{7, "/news"})), f.ContainsHash(hashing.Comparable(visit{8, "/news"})))
	// Output: true false
}

// Build takes all digests at once.
func ExampleBuild() {
	digests := make([]uint64, 100_000)
	for i := range digests {
		digests[i] = hashing.Mix64(uint64(i))
	}
	f, err := cuckoo.Build[fingerprint.Bits16](cuckoo.Config{Capacity: len(digests)}, digests)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Len(), f.ContainsHash(hashing.Mix64(99_999)))
	// Output: 100000 true
}

// A refused insert changes nothing, so it can be handled: here by a second filter of twice the size.
func ExampleFilter_Insert_full() {
	small, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Buckets: 16})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 100 {
		err = small.InsertString(fmt.Sprint("key ", i))
		if errors.Is(err, cuckoo.ErrFull) {
			break
		}
	}
	before := small.Len()
	fmt.Println(errors.Is(err, cuckoo.ErrFull), before > 50, before <= small.Slots())

	large, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Buckets: 32})
	if err != nil {
		log.Fatal(err)
	}
	lost := 0
	for i := range before {
		if !small.ContainsString(fmt.Sprint("key ", i)) {
			lost++
		}
		if err := large.InsertString(fmt.Sprint("key ", i)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(lost, large.Len() == before)
	// Output:
	// true true true
	// 0 true
}

// leastLoaded kicks the resident whose alternate bucket has the most free slots.
type leastLoaded struct{}

func (leastLoaded) Recipe() string { return "least-loaded" }

func (leastLoaded) Kick(w *cuckoo.Walk) {
	for {
		_, here := w.Homes()
		if slot, ok := w.Free(here); ok {
			w.Swap(here, slot)
			return
		}
		best, most := w.IntN(w.BucketSize()), 0
		for slot := range w.BucketSize() {
			there, free := w.Alternate(here, w.Slot(here, slot)), 0
			for s := range w.BucketSize() {
				if w.Slot(there, s) == 0 {
					free++
				}
			}
			if free > most {
				best, most = slot, free
			}
		}
		if !w.Swap(here, best) {
			return // MaxKicks is spent: the filter takes every kick back
		}
	}
}

// Anybody can write a kick policy. The filter journals its kicks and undoes them if it gives up.
func ExampleKickPolicy() {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 12, Kick: leastLoaded{}})
	if err != nil {
		log.Fatal(err)
	}
	n := uint64(0)
	for f.InsertHash(hashing.Mix64(n)) == nil {
		n++
	}
	lost := 0
	for k := range n {
		if !f.ContainsHash(hashing.Mix64(k)) {
			lost++
		}
	}
	fmt.Println(f.LoadFactor() > .95, lost)
	// Output: true 0
}

// Semi-sorted buckets hold one bit more of each key in the same memory.
func ExampleConfig_semiSort() {
	plain, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 1 << 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	sorted, err := cuckoo.New[fingerprint.Bits13](cuckoo.Config{Buckets: 1 << 16, Layout: cuckoo.SemiSorted})
	if err != nil {
		fmt.Println(err)
		return
	}
	const n = 249_000 // load .95
	for k := range uint64(n) {
		if err := errors.Join(plain.InsertHash(hashing.Mix64(k)), sorted.InsertHash(hashing.Mix64(k))); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("plain       %d bytes, rate %.2g%%\n", plain.SizeBytes(), 100*plain.FalsePositiveRate())
	fmt.Printf("semi-sorted %d bytes, rate %.2g%%\n", sorted.SizeBytes(), 100*sorted.FalsePositiveRate())
	// Output:
	// plain       393224 bytes, rate 0.19%
	// semi-sorted 393224 bytes, rate 0.093%
}

// UnmarshalText reads what String prints, as in the names of benchmarks.
func ExampleConfig_UnmarshalText() {
	var c cuckoo.Config
	if err := c.UnmarshalText([]byte("capacity=1000000/b=4/placement=xor/kick=random-walk")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Capacity, c.Placement, c.Kick)
	fmt.Println(c.UnmarshalText([]byte("capacity=1000000/b=four")))
	// Output:
	// 1000000 xor random-walk
	// cuckoo: invalid configuration: b=four: strconv.Atoi: parsing "four": invalid syntax
}

// The %#v form draws a small table.
func ExampleFilter_GoString() {
	f, err := cuckoo.New[fingerprint.Bits8](cuckoo.Config{Buckets: 4, BucketSize: 2, Hash: hashing.DigestsOnly})
	if err != nil {
		log.Fatal(err)
	}
	for k := range uint64(4) {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%#v\n", f)
	// Output:
	// cuckoo: 4 of 8 slots used
	// 0 | db  .
	// 1 |  .  .
	// 2 | 89 1d
	// 3 | 7b  .
}

// watched lets the default policy kick, and prints what it did.
type watched struct{ cuckoo.KickPolicy }

func (p watched) Kick(w *cuckoo.Walk) {
	p.KickPolicy.Kick(w)
	fmt.Println(w.Examined(), "buckets examined")
	for bucket, slot := range w.Path() {
		fmt.Println("into bucket", bucket, "slot", slot)
	}
}

// A policy that calls another one can watch it. The fingerprint of the new key goes into the first slot, and what was there
// into the second.
func ExampleWalk_Path() {
	c := cuckoo.Config{Buckets: 64, BucketSize: 2, Kick: watched{cuckoo.BreadthFirst}}
	f, err := cuckoo.New[fingerprint.Bits12](c)
	if err != nil {
		log.Fatal(err)
	}
	for i := uint64(0); f.Stats().Kicks == 0; i++ {
		if err := f.InsertHash(hashing.Mix64(i)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 buckets examined
	// into bucket 46 slot 0
	// into bucket 29 slot 0
}
