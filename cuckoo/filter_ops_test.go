package cuckoo

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/internal/packed"
)

// oracle is the exact model of a filter: how often each class was inserted and not deleted.
type oracle struct {
	f     verbs
	count map[class]int
	len   int
}

func newOracle(f verbs) *oracle { return &oracle{f: f, count: map[class]int{}} }

// insert inserts h and holds what happened against the model; a refusal must leave the table, byte
// for byte, as it was.
func (o *oracle) insert(t *testing.T, h uint64) error {
	t.Helper()
	e, _ := o.f.inner()
	before := bytes.Clone(e.Table.Data())
	c := classOf(o.f, h)
	err := o.f.InsertHash(h)
	if err == nil {
		o.count[c]++
		o.len++
		if room := c.room(o.f); o.count[c] > room {
			t.Fatalf("%v: %d copies of class %v are stored, %d fit", o.f, o.count[c], c, room)
		}
		return nil
	}
	if !bytes.Equal(before, e.Table.Data()) {
		t.Fatalf("%v: a refused insert changed the table", o.f)
	}
	return err
}

// remove deletes h: it must succeed exactly if its class is stored.
func (o *oracle) remove(t *testing.T, h uint64) {
	t.Helper()
	c := classOf(o.f, h)
	got, want := o.f.DeleteHash(h), o.count[c] > 0
	if got != want {
		t.Fatalf("%v: Delete of class %v is %t, want %t", o.f, c, got, want)
	}
	if got {
		o.count[c]--
		o.len--
	}
}

// unique inserts h unless it is contained.
func (o *oracle) unique(t *testing.T, h uint64) {
	t.Helper()
	c := classOf(o.f, h)
	ok, err := o.f.InsertUniqueHash(h)
	switch {
	case ok && (err != nil || o.count[c] > 0), !ok && err == nil && o.count[c] == 0:
		t.Fatalf("%v: InsertUnique of class %v, stored %d times, is %t, %v", o.f, c, o.count[c], ok, err)
	case ok:
		o.count[c]++
		o.len++
	}
}

// check holds what the filter says of h, and its Len, against the model: equal, not merely without
// a false negative.
func (o *oracle) check(t *testing.T, h uint64) {
	t.Helper()
	c := classOf(o.f, h)
	if got := o.f.CountHash(h); got != o.count[c] {
		t.Fatalf("%v: Count of class %v is %d, want %d", o.f, c, got, o.count[c])
	}
	if got := o.f.ContainsHash(h); got != (o.count[c] > 0) {
		t.Fatalf("%v: Contains of class %v is %t, it is stored %d times", o.f, c, got, o.count[c])
	}
	if o.f.Len() != o.len {
		t.Fatalf("%v: Len is %d, want %d", o.f, o.f.Len(), o.len)
	}
}

// digests makes the digests of an operation's operand in one of four ways, two of them degenerate.
func digests(mode uint8, operand byte) uint64 {
	r := rand.New(rand.NewPCG(uint64(operand), 0x5eed))
	switch mode % 4 {
	case 0:
		return r.Uint64()
	case 1:
		return 0
	case 2:
		return ^uint64(0)
	default: // few buckets and fingerprints, so that classes collide
		return uint64(operand&3) << 62 >> (operand >> 6) & r.Uint64()
	}
}

// world is the filter that the first bytes of a fuzz input describe: from width 128 on one of fingerprint.Any.
func world(t *testing.T, width, b, m, placement, policy uint8) verbs {
	c := bucketShapes[int(b)%len(bucketShapes)]
	c.Buckets = int(m)%24 + 1
	c.Placement = Placement(placement % placements)
	c.Kick = policies[int(policy)%len(policies)]
	c.MaxKicks = 1 + int(m)*2
	c.Seed = uint64(m)
	if c.Placement.powerOfTwo() {
		c.Buckets = 1 << (m % 5)
	}
	w := uint(width)%32 + 1
	if c.narrow(w) {
		w += packed.MinSortedWidth
	}
	if width >= 128 {
		c.FingerprintBits = int(w)
	}
	return mustNew(t, w, c)
}

// runOps decodes bytes into operations, two bytes each, and holds the filter against the oracle. It returns the
// filter that is left: f or a clone.
func runOps(t *testing.T, f verbs, mode uint8, ops []byte) verbs {
	o := newOracle(f)
	for len(ops) >= 2 {
		op, operand := ops[0], ops[1]
		ops = ops[2:]
		h := digests(mode, operand)
		switch op % 8 {
		case 0, 1, 2:
			_ = o.insert(t, h) // a refusal is checked there
		case 3:
			o.remove(t, h)
		case 4:
			o.unique(t, h)
		case 5: // the operations go on with the copy: both must agree
			g := o.f.clone()
			if !g.equal(o.f) {
				t.Fatalf("%v: the clone differs", f)
			}
			o.f = g
		case 6:
			if op >= 0xf8 {
				o.f.Reset()
				o.count, o.len = map[class]int{}, 0
			}
		}
		o.check(t, h)
	}
	checkAll(t, o)
	return o.f
}

// checkAll recounts the table and holds every class in it against the model.
func checkAll(t *testing.T, o *oracle) {
	t.Helper()
	e, _ := o.f.inner()
	found := map[class]int{}
	for i := range e.Table.Buckets() {
		for lane := range e.Table.Lanes() {
			if fp := e.Table.Read(i, lane); fp != 0 {
				found[classAt(o.f, i, uint64(lane), fp)]++
			}
		}
	}
	for c, n := range found {
		if o.count[c] != n {
			t.Fatalf("%v: class %v stands %d times in the table, want %d", o.f, c, n, o.count[c])
		}
	}
	for c, n := range o.count {
		if n != 0 && found[c] != n {
			t.Fatalf("%v: class %v is lost: %d in the table, want %d", o.f, c, found[c], n)
		}
	}
}

func FuzzOps(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 0x5eed))
	for n := range 64 {
		ops := make([]byte, 400)
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		f.Add(uint8(n/2), uint8(n), uint8(3*n), uint8(n), uint8(n), uint8(n/8), ops)
		f.Add(uint8(128+n/2), uint8(n), uint8(3*n), uint8(n), uint8(n), uint8(n/8), ops)
	}
	f.Fuzz(func(t *testing.T, width, b, m, placement, policy, mode uint8, ops []byte) {
		if len(ops) > 4000 {
			ops = ops[:4000]
		}
		runOps(t, world(t, width, b, m, placement, policy), mode, ops)
	})
}

// TestOps_EveryShape runs a random mix of operations on every width, kind of bucket, placement and
// policy, with good and with degenerate digests, on filters of fingerprint.Any too: the two end as the same file.
func TestOps_EveryShape(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0x5eed))
	ops := make([]byte, 160)
	shapes := 32 * len(bucketShapes) * placements * len(policies)
	for shape := range shapes {
		if testing.Short() && shape%7 != 0 {
			continue
		}
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		width, b, rest := shape%32, shape/32%len(bucketShapes), shape/32/len(bucketShapes)
		m := uint8(r.Uint32())
		f := world(t, uint8(width), uint8(b), m, uint8(rest%placements), uint8(rest/placements))
		f = runOps(t, f, uint8(shape), ops)
		g := world(t, uint8(128+width), uint8(b), m, uint8(rest%placements), uint8(rest/placements))
		sameFile(t, runOps(t, g, uint8(shape), ops), f)
	}
}
