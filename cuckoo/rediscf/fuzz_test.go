package rediscf

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// loadAll reads data as records of a position, a length and as many bytes.
func loadAll(l *Loader, data []byte) {
	for len(data) >= 10 {
		position := int64(binary.LittleEndian.Uint64(data))
		n := min(int(binary.LittleEndian.Uint16(data[8:])), len(data)-10)
		_ = l.Load(position, data[10:10+n]) // refused or not: what counts is what it does to the loader
		data = data[10+n:]
	}
}

// records writes what loadAll reads.
func records(chunks []chunk) (b []byte) {
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint64(b, uint64(c.position))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(c.data)))
		b = append(b, c.data...)
	}
	return b
}

// FuzzLoad loads records of any bytes, and then what a server with any bytes in its tables would dump.
func FuzzLoad(f *testing.F) {
	t := new(testing.T)
	chunks := chunksOf(grown(t))
	f.Add(records(chunks))
	f.Add(records(append(chunks[:1:1], pieces(chunks[1:], rand.New(rand.NewPCG(1, 1)))...)))
	f.Add(records(chunks[:2]))
	small := header{items: 2, buckets: 1, filters: 2, bucketSize: 2, maxIterations: 3, expansion: 2,
		deletes: 9}.append(nil)
	f.Add(records([]chunk{{1, small}, {3, []byte{1, 2}}, {7, []byte{0, 0, 0, 0}}}))
	f.Add([]byte("\x01\x02\x02\x07\x02\x03tables and then \x00\x00\x00 operations, of \x01\x02 two bytes each"))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Bytes: 1 << 20, Filters: 100, Iterations: 1000}
		l := Loader{Limits: limits, Repair: len(data)%2 == 1}
		loadAll(&l, data)
		if g, err := l.Filter(); err == nil {
			if g.used > uint64(limits.Bytes) {
				t.Fatalf("%d bytes were loaded, the limit is %d", g.used, limits.Bytes)
			}
			useLoaded(t, g, limits)
		}
		if m, ops := modelIn(data); m != nil {
			loadModel(t, m, len(data)%2 == 1).run(ops[:min(len(ops), 200)])
		}
	})
}

// modelIn returns a small model of six parameters, with the bytes behind them in its tables, and what bytes are
// left; nil where they do not make one that has items.
func modelIn(data []byte) (m *model, rest []byte) {
	if len(data) < 6 {
		return nil, nil
	}
	p, rest := data[:6], data[6:]
	m = &model{size: int(p[0]%8) + 1, iterations: int(p[3]%40) + 1, expansion: []int{0, 1, 2, 4}[p[4]%4],
		deletes: int(p[5]), limit: 1 << 16}
	filters := int(p[2]%4) + 1
	if m.expansion == 0 {
		filters = 1
	}
	for n := m.size << (p[1] % 5); filters > 0; n *= m.expansion {
		table := make([]byte, n)
		rest = rest[copy(table, rest):]
		m.tables = append(m.tables, table)
		m.items += n - bytes.Count(table, []byte{0})
		filters--
	}
	if m.items == 0 {
		return nil, nil
	}
	return m, rest
}

// loadModel loads what a model would dump, the last table first, and where it is to be repaired with a number of items
// that is wrong.
func loadModel(t *testing.T, m *model, repair bool) *pair {
	t.Helper()
	head := m.dump()[:HeaderSize]
	if repair {
		binary.LittleEndian.PutUint64(head, ^uint64(0))
	}
	list, position := []chunk{}, int64(1)
	for _, table := range m.tables {
		position += int64(len(table))
		list = append(list, chunk{position, table})
	}
	slices.Reverse(list)
	l := Loader{Limits: Limits{Bytes: m.limit}, Repair: repair}
	loadAll(&l, records(append([]chunk{{1, head}}, list...)))
	f, err := l.Filter()
	if err != nil {
		t.Fatalf("%x: %v", m.dump(), err)
	}
	p := &pair{t, f, m}
	p.compare()
	return p
}

// useLoaded holds that a filter from anywhere dumps what loads again, and that its verbs work.
func useLoaded(t *testing.T, g *Filter, limits Limits) {
	t.Helper()
	if g.items > 0 {
		again, err := Load(g.Scan(), limits)
		if err != nil || !bytes.Equal(dump(again), dump(g)) {
			t.Fatalf("loaded again it differs: %v", err)
		}
	}
	before := g.Len()
	added := 0
	for h := range uint64(50) {
		h *= 0x9e3779b97f4a7c15
		if g.AddHash(h) == nil {
			added++
			if !g.ExistsHash(h) || g.CountHash(h) < 1 {
				t.Fatalf("digest %#x was added and does not exist", h)
			}
		}
	}
	if g.Len() != before+added {
		t.Fatalf("%d items and %d more are %d", before, added, g.Len())
	}
	g.Compact()
	total := 0
	for k := range g.subs {
		total += g.subs[k].items()
	}
	if total != g.Len() || g.Info().Deletes != 0 {
		t.Fatalf("%v with %d fingerprints after Compact", g.Info(), total)
	}
}
