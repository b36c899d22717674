package foreign_test

import (
	"encoding/binary"

	"github.com/dgryski/go-metro"

	"github.com/nestfilter/nest/cuckoo/foreign"
)

// A model is a filter of the other module as its documentation and dumps show it: slots in a slice, one loop, and a
// failed insert that loses a fingerprint. It shares nothing with the package but the hash function.
type model struct {
	format  foreign.Format
	table   []uint16 // 4 a bucket
	count   int
	choices func(n int) int
}

// modelOf returns a model with the table of a dump, and no choices.
func modelOf(format foreign.Format, dump []byte) *model {
	m := &model{format: format}
	for len(dump) > 0 {
		fp := uint16(dump[0])
		if format == foreign.Panmari {
			fp, dump = binary.LittleEndian.Uint16(dump), dump[1:]
		}
		dump = dump[1:]
		m.table = append(m.table, fp)
		if fp != 0 {
			m.count++
		}
	}
	return m
}

func (m *model) buckets() uint64 { return uint64(len(m.table) / 4) }

func (m *model) hash(key []byte) (bucket uint64, fp uint16) {
	h := metro.Hash64(key, 1337)
	if m.format == foreign.Seiflotfy {
		return (h >> 32) % m.buckets(), uint16(h%255 + 1)
	}
	return h % m.buckets(), uint16((h>>48)%65534 + 1)
}

func (m *model) other(bucket uint64, fp uint16) uint64 {
	b := []byte{byte(fp)}
	if m.format == foreign.Panmari {
		b = append(b, byte(fp>>8))
	}
	return (bucket ^ metro.Hash64(b, 1337)) % m.buckets()
}

// replace changes the first slot of the bucket that holds from.
func (m *model) replace(bucket uint64, from, to uint16) bool {
	for s := range 4 {
		if at := &m.table[4*bucket+uint64(s)]; *at == from {
			*at = to
			return true
		}
	}
	return false
}

func (m *model) insert(key []byte) bool {
	bucket, fp := m.hash(key)
	other := m.other(bucket, fp)
	if m.replace(bucket, 0, fp) || m.replace(other, 0, fp) {
		m.count++
		return true
	}
	if m.choices(2) != 0 {
		bucket = other
	}
	for range 500 {
		at := &m.table[4*bucket+uint64(m.choices(4))]
		fp, *at = *at, fp
		bucket = m.other(bucket, fp)
		if m.replace(bucket, 0, fp) {
			m.count++
			return true
		}
	}
	return false
}

func (m *model) remove(key []byte) bool {
	bucket, fp := m.hash(key)
	if m.replace(bucket, fp, 0) || m.replace(m.other(bucket, fp), fp, 0) {
		m.count--
		return true
	}
	return false
}

func (m *model) contains(key []byte) bool {
	bucket, fp := m.hash(key)
	other := m.other(bucket, fp)
	return m.replace(bucket, fp, fp) || m.replace(other, fp, fp)
}

func (m *model) dump() []byte {
	var b []byte
	for _, fp := range m.table {
		if m.format == foreign.Seiflotfy {
			b = append(b, byte(fp))
		} else {
			b = binary.LittleEndian.AppendUint16(b, fp)
		}
	}
	return b
}
