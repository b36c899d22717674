package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/parquet"
)

// FuzzImport decodes any bytes, once as they are and once with a size in front that goes with them.
func FuzzImport(f *testing.F) {
	f.Add(encoded(f, filter(f, 1)))
	f.Add(encoded(f, filter(f, 5)))
	f.Add([]byte{})
	for _, c := range refusals {
		f.Add(append(unhex(c.header), make([]byte, 32)...))
	}
	f.Add(append(unhex("1540"+tail[:24]+"1b02"+"83"+"0161"+"07"+"0162"+"08"+"00"), make([]byte, 32)...))
	f.Add(append(unhex("0d"+tail), bytes.Repeat([]byte("bits"), 16)...))
	f.Add(append(unhex("1a"+tail[:24]+"1b02"+"83"+"0161"+"07"+"0162"+"08"+"00"), make([]byte, 64)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		imported(t, data)
		imported(t, mend(data))
	})
}

// mend returns a size, then as many bytes of data as its first byte says, which are the rest of a header or
// are not, and then the whole blocks that follow, at least one.
func mend(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	rest := data[1:]
	head := min(int(data[0]), len(rest))
	blocks := append(bytes.Clone(rest[head:]), make([]byte, 32)...)
	blocks = blocks[:len(blocks)/32*32]
	b := binary.AppendVarint([]byte{0x15}, int64(len(blocks)))
	return append(append(b, rest[:head]...), blocks...)
}

// imported decodes data. What is accepted has the bitset that the data end with, is the same again when encoded
// and decoded, contains the keys whose bits are set, and takes others.
func imported(t *testing.T, data []byte) {
	t.Helper()
	c := bloom.Config{MaxBytes: 1 << 20}
	g, err := parquet.Decode(data, c)
	h, errAt := parquet.DecodeAt(bytes.NewReader(data), 0, c)
	if err != nil {
		if g != nil || errors.Is(err, bloom.ErrConfig) || errAt == nil && len(data) <= h.SizeBytes() {
			t.Fatalf("Decode: %v, %v, DecodeAt: %v, %v", g, err, h, errAt)
		}
		return
	}
	if errAt != nil || !h.Equal(g) || !bytes.HasSuffix(data, g.Bitset()) {
		t.Fatalf("%v from a file: %v, %v", g, h, errAt)
	}
	if again, err := parquet.Decode(encoded(t, g), c); err != nil || !again.Equal(g) {
		t.Fatalf("decoded %v, again %v, %v", g, again, err)
	}
	for _, key := range []string{"", "key 3", string(data)} {
		single, err := bloom.NewSplitBlock(g.Config())
		if err != nil {
			t.Fatal(err)
		}
		single.InsertString(key)
		has, bitset := true, g.Bitset()
		for i, b := range single.Bitset() {
			has = has && b&^bitset[i] == 0
		}
		if g.ContainsString(key) != has || g.InsertUniqueString(key) == has || !g.ContainsString(key) {
			t.Fatalf("key %q: all bits set: %t, contained: %t", key, has, g.ContainsString(key))
		}
	}
}
