package rediscf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// model is a literal and slow account of what the server does, on nothing but byte slices: what a Filter is
// held against.
type model struct {
	tables         [][]byte
	size           int // slots of a bucket
	iterations     int
	expansion      int
	items, deletes int
	limit          int // Limits.Bytes
}

func newModel(capacity, size, iterations, expansion, limit int) *model {
	n := 1
	for n < capacity/size {
		n *= 2
	}
	e := 1
	for e < expansion {
		e *= 2
	}
	if expansion == 0 {
		e = 0
	}
	return &model{tables: [][]byte{make([]byte, n*size)}, size: size, iterations: iterations, expansion: e,
		limit: limit}
}

// bucket returns the slots of bucket h mod N of a table.
func (m *model) bucket(table []byte, h uint64) []byte {
	n := uint64(len(table) / m.size)
	at := int(h%n) * m.size
	return table[at : at+m.size]
}

func other(h uint64, fp byte) uint64 { return h ^ uint64(fp)*0x5bd1e995 }

// replace writes v over the first old in bucket h of the table, else in the alternate one.
func (m *model) replace(table []byte, h uint64, fp, old, v byte) bool {
	for _, h := range []uint64{h, other(h, fp)} {
		b := m.bucket(table, h)
		if slot := bytes.IndexByte(b, old); slot >= 0 {
			b[slot] = v
			return true
		}
	}
	return false
}

func (m *model) exists(h uint64) bool { return m.count(h) > 0 }

func (m *model) count(h uint64) (n int) {
	fp := byte(h%255 + 1)
	for _, table := range m.tables {
		n += bytes.Count(m.bucket(table, h), []byte{fp}) + bytes.Count(m.bucket(table, other(h, fp)), []byte{fp})
	}
	return n
}

// add returns 1, -1 where the filter is full, or -2 where a limit of ours forbids growth.
func (m *model) add(h uint64) int {
	fp := byte(h%255 + 1)
	for {
		for k := len(m.tables) - 1; k >= 0; k-- {
			if m.replace(m.tables[k], h, fp, 0, fp) {
				m.items++
				return 1
			}
		}
		if m.kick(h, fp) {
			m.items++
			return 1
		}
		if m.expansion == 0 {
			return -1
		}
		newest := m.tables[len(m.tables)-1]
		used := len(m.tables)*512 + len(newest)*m.expansion
		for _, table := range m.tables {
			used += len(table)
		}
		if used > m.limit {
			return -2
		}
		m.tables = append(m.tables, make([]byte, len(newest)*m.expansion))
	}
}

// kick tries to make room in the newest table and leaves it as it was where it cannot.
func (m *model) kick(h uint64, fp byte) bool {
	table := m.tables[len(m.tables)-1]
	before := bytes.Clone(table)
	for k := range m.iterations {
		b := m.bucket(table, h)
		b[k%m.size], fp = fp, b[k%m.size]
		// The bucket in place of the digest: N is a power of two.
		h = other(h%uint64(len(table)/m.size), fp)
		b = m.bucket(table, h)
		if slot := bytes.IndexByte(b, 0); slot >= 0 {
			b[slot] = fp
			return true
		}
	}
	copy(table, before)
	return false
}

func (m *model) addNX(h uint64) int {
	if m.exists(h) {
		return 0
	}
	return m.add(h)
}

func (m *model) del(h uint64) bool {
	fp := byte(h%255 + 1)
	for k := len(m.tables) - 1; k >= 0; k-- {
		if m.replace(m.tables[k], h, fp, fp, 0) {
			m.items--
			m.deletes++
			if len(m.tables) > 1 && float64(m.deletes) > 0.10*float64(m.items) {
				m.compact(false)
			}
			return true
		}
	}
	return false
}

func (m *model) compact(forced bool) {
	for k := len(m.tables) - 1; k >= 1; k-- {
		left := 0
		for at, fp := range m.tables[k] {
			moved := fp == 0
			for j := 0; j < k && !moved; j++ {
				moved = m.replace(m.tables[j], uint64(at/m.size), fp, 0, fp)
			}
			if moved {
				m.tables[k][at] = 0
			} else {
				left++
			}
		}
		if left == 0 && k == len(m.tables)-1 {
			m.tables = m.tables[:k]
		}
		if left > 0 && !forced {
			break
		}
	}
	m.deletes = 0
}

// dump is the header and all tables, nothing without items.
func (m *model) dump() []byte {
	if m.items == 0 {
		return nil
	}
	u64 := binary.LittleEndian.AppendUint64
	b := u64(nil, uint64(m.items))
	b = u64(b, uint64(len(m.tables[0])/m.size))
	b = u64(u64(b, uint64(m.deletes)), uint64(len(m.tables)))
	for _, v := range []int{m.size, m.iterations, m.expansion} {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return append(b, bytes.Join(m.tables, nil)...)
}

func (m *model) info() string {
	size := 40 + 16*len(m.tables)
	for _, table := range m.tables {
		size += len(table)
	}
	return fmt.Sprint(size, len(m.tables[0])/m.size, len(m.tables), m.items, m.deletes, m.size, m.expansion,
		m.iterations)
}

// dump is the dump of a filter in one piece.
func dump(f *Filter) (b []byte) {
	for _, c := range chunksOf(f) {
		b = append(b, c.data...)
	}
	return b
}

// pair is a filter and its model.
type pair struct {
	t *testing.T
	f *Filter
	m *model
}

// newPair makes a filter of any parameters from four bytes, small enough to be in every state soon.
func newPair(t *testing.T, size, capacity, iterations, expansion byte) *pair {
	t.Helper()
	const limit = 1 << 16
	c := Config{BucketSize: int(size%9) + 1, MaxIterations: int(iterations%40) + 1, Expansion: int(expansion%6) - 1,
		Limits: Limits{Bytes: limit}}
	if c.BucketSize == 9 {
		c.BucketSize = 255
	}
	if c.Expansion == 0 {
		c.Expansion = 1
	}
	c.Capacity = c.BucketSize * (2 + int(capacity%33))
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{t, f, newModel(c.Capacity, c.BucketSize, c.MaxIterations, max(c.Expansion, 0), limit)}
}

// reply is the model's number for an error.
func reply(err error) int {
	switch {
	case err == nil:
		return 1
	case errors.Is(err, ErrFull):
		return -1
	case errors.Is(err, ErrTooLarge):
		return -2
	}
	return -3
}

// single runs a command of one key on both and compares the replies.
func (p *pair) single(op byte, h uint64) {
	p.t.Helper()
	refused := len(p.m.tables) >= 32
	var got, want any
	switch op {
	case 0:
		err := p.f.AddHash(h)
		if got, want = reply(err), -3; !refused {
			want = p.m.add(h)
		} else if !errors.Is(err, ErrExpansions) {
			p.t.Fatalf("Add with %d sub-filters: %v", len(p.m.tables), err)
		}
	case 1:
		added, err := p.f.AddNXHash(h)
		n := reply(err)
		if err == nil && !added {
			n = 0
		}
		if got, want = n, -3; !refused {
			want = p.m.addNX(h)
		}
	case 2:
		got, want = p.f.DelHash(h), p.m.del(h)
	case 3:
		got, want = p.f.CountHash(h), p.m.count(h)
	default:
		got, want = p.f.ExistsHash(h), p.m.exists(h)
	}
	if got != want {
		p.t.Fatalf("operation %d of digest %#x: %v, the model says %v; %v", op, h, got, want, p.f.Info())
	}
}

// many runs one inserting command of several keys on both.
func (p *pair) many(unique bool, hs []uint64) {
	p.t.Helper()
	dst := make([]Result, len(hs))
	one := p.m.add
	if unique {
		one = p.m.addNX
	}
	refused := len(p.m.tables) >= 32
	n, err := p.f.InsertHashes(hs, dst, InsertOptions{NX: unique})
	if refused {
		if n != 0 || !errors.Is(err, ErrExpansions) {
			p.t.Fatalf("Insert with %d sub-filters: %d, %v", len(p.m.tables), n, err)
		}
		return
	}
	for k, h := range hs {
		want := one(h)
		if want == -2 {
			if n != k || !errors.Is(err, ErrTooLarge) {
				p.t.Fatalf("Insert stopped at key %d of %d with %v, the model at %d", n, len(hs), err, k)
			}
			return
		}
		if k >= n || int(dst[k]) != want {
			p.t.Fatalf("Insert: %d of %v, %v; result %d is %d in the model", n, dst, err, k, want)
		}
	}
	if n != len(hs) || err != nil {
		p.t.Fatalf("Insert: %d of %d, %v", n, len(hs), err)
	}
}

// compare compares everything that can be seen of both.
func (p *pair) compare() {
	p.t.Helper()
	if got, want := infoText(p.f.Info()), p.m.info(); got != want {
		p.t.Fatalf("info is %s, the model's %s", got, want)
	}
	if got, want := dump(p.f), p.m.dump(); !bytes.Equal(got, want) {
		p.t.Fatalf("the dumps differ:\n%x\n%x", got, want)
	}
	for k := range p.f.subs {
		if !bytes.Equal(p.f.subs[k].data(), p.m.tables[k]) {
			p.t.Fatalf("sub-filter %d differs", k)
		}
	}
}

// reload goes on with a filter that was loaded from a dump.
func (p *pair) reload() {
	p.t.Helper()
	if p.m.items == 0 {
		return
	}
	f, err := Load(p.f.Scan(), p.f.limits)
	if err != nil {
		p.t.Fatal(err)
	}
	if f.used != p.f.used {
		p.t.Fatalf("%d bytes are counted after loading, %d before", f.used, p.f.used)
	}
	p.f = f
}

// run decodes operations of two bytes: the command, and the key or how many.
func (p *pair) run(ops []byte) {
	p.t.Helper()
	for ; len(ops) >= 2; ops = ops[2:] {
		op, operand := ops[0], uint64(ops[1])
		h := rand.New(rand.NewPCG(operand, uint64(op>>6))).Uint64() // 1024 keys
		if op>>6 == 3 {
			h = operand & 7 // few keys: many copies, and pairs that coincide
		}
		switch op % 16 {
		case 12, 13:
			hs := make([]uint64, operand%64)
			for k := range hs {
				hs[k] = h + uint64(k)*uint64(op>>6)<<32
			}
			p.many(op%16 == 13, hs)
		case 14:
			p.f.Compact()
			p.m.compact(true)
		case 15:
			p.reload()
		default:
			p.single([]byte{0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4}[op%16], h)
		}
		p.compare()
	}
}

func FuzzOps(f *testing.F) {
	for seed := range byte(40) {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		ops := make([]byte, 600)
		for k := range ops {
			ops[k] = byte(r.Uint32())
		}
		f.Add(seed, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), ops)
	}
	f.Fuzz(func(t *testing.T, size, capacity, iterations, expansion byte, ops []byte) {
		newPair(t, size, capacity, iterations, expansion).run(ops[:min(len(ops), 2000)])
	})
}

// TestFilter_EqualsModel goes through longer lives than the fuzzer's: growth, then deletes with
// compactions, then growth again, with and without forced compactions between.
func TestFilter_EqualsModel(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { liveLong(t, seed) })
	}
}

func liveLong(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	b := func() byte { return byte(r.Uint32()) }
	p := newPair(t, byte(seed), b(), b(), b())
	for round := range 6 {
		for range 150 + r.IntN(200) {
			op := byte(0)
			if r.IntN(8) < round%2*6 {
				op = 2
			} else if r.IntN(4) == 0 {
				op = 1 + byte(r.IntN(4))
			}
			p.single(op, uint64(r.IntN(300))*0x9e3779b97f4a7c15)
		}
		p.compare()
		if round == 3 {
			p.f.Compact()
			p.m.compact(true)
			p.compare()
			p.reload()
		}
	}
}

// TestFilter_MostIterations kicks as often as a server can be told to, and is refused.
func TestFilter_MostIterations(t *testing.T) {
	c := Config{Capacity: 64, BucketSize: 2, MaxIterations: MaxMaxIterations, Expansion: NoGrowth}
	p := &pair{t, mustNew(t, c), newModel(c.Capacity, c.BucketSize, c.MaxIterations, 0, defaultBytes)}
	r := rand.New(rand.NewPCG(1, 13))
	for range 70 {
		p.single(0, r.Uint64())
	}
	p.compare()
	if p.f.Len() < 50 || p.f.Len() >= 70 {
		t.Errorf("%d items in 64 slots", p.f.Len())
	}
}
