package filtertest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/nestfilter/nest/hashing"
)

// The streams of keys. Keys of different streams differ.
const (
	inserted = iota // keys that a check inserts
	absent          // keys that it only asks for
	builds          // builds+2*i and builds+2*i+1: inserted and absent keys of one more build
)

// keyBytes is the length of ordinary keys.
const keyBytes = 16

// digest returns number i of a stream of distinct, well-mixed numbers.
func (r *run) digest(stream, i int) uint64 {
	return hashing.Mix64(hashing.Mix64(r.Seed) + uint64(stream)<<40 + uint64(i))
}

// key returns key number i of a stream, in memory that is never used again: a filter that keeps or changes keys
// cannot disturb the checks that do not look for that. Its first half determines it, as mixing is a bijection: keys
// are distinct up to 2^40 of a stream.
func (r *run) key(stream, i int) []byte {
	key, word := make([]byte, keyBytes), r.digest(stream, i)
	binary.LittleEndian.PutUint64(key, word)
	binary.LittleEndian.PutUint64(key[8:], hashing.Mix64(word^r.Seed))
	return key
}

// either returns inserted and absent keys in turns.
func (r *run) either(i int) []byte { return r.key([]int{inserted, absent}[i%2], i/2) }

// longKey is the length of the longest keys.
const longKey = 1 << 20

// oddKeys are keys that have broken filters: empty, short, of zeros, binary, no valid text, and long. A nil and an
// empty key are one key, so only one of them is here.
func (r *run) oddKeys() [][]byte {
	keys := [][]byte{nil, []byte("\n"), []byte(" a b "), []byte("\xff\xfe\xfd"), []byte("\xc3\x28 no UTF-8")}
	for length := 1; length <= 257; length = length*3/2 + 1 {
		keys = append(keys, make([]byte, length), bytes.Repeat([]byte{0xff}, length))
	}
	for b := range 256 {
		keys = append(keys, []byte{byte(b), 0, 'k'})
	}
	return append(keys, r.long())
}

// long returns a key of 1 MiB.
func (r *run) long() []byte {
	key := make([]byte, 0, longKey)
	for i := 0; len(key) < longKey; i++ {
		key = append(key, r.key(absent, i)...)
	}
	return key
}

// checkKeys holds that every byte string is a key, that nil and empty are one, and that every byte of a key counts.
func checkKeys(r *run) Finding {
	// Odd keys are few beside the capacity, so that next to none is refused or a false positive.
	f := r.openFor(max(4096, r.Capacity))
	r.emptyKeys(f)
	var accepted [][]byte
	for _, key := range r.oddKeys() {
		if f.Insert(bytes.Clone(key)) {
			accepted = append(accepted, key)
		}
	}
	for _, key := range accepted {
		if !f.Contains(bytes.Clone(key)) {
			return failed("a key of %d bytes, %.8x..., is not found", len(key), key)
		}
	}
	r.everyByte(f)
	for _, key := range accepted {
		if f.Delete != nil && !f.Delete(bytes.Clone(key)) {
			return failed("Delete says no to a key of %d bytes, %.8x...", len(key), key)
		}
	}
	return passed("%d odd keys, of 0 bytes to 1 MiB", len(accepted))
}

// emptyKeys checks that an empty filter treats nil and []byte{} as one key.
func (r *run) emptyKeys(f *Filter) {
	for _, k := range [][2][]byte{{nil, {}}, {{}, nil}} {
		if !f.Insert(k[0]) || !f.Contains(k[1]) || f.Count != nil && f.Count(k[1]) < 1 || f.Delete != nil && !f.Delete(k[1]) {
			r.fail("inserted as %s and asked as %s, the empty key is refused or not found, counted or deleted",
				fmt.Sprintf("%#v", k[0]), fmt.Sprintf("%#v", k[1]))
		}
	}
}

// everyByte asks for neighbours of a key of 1 MiB and of a short one, which differ from it by one byte or in length.
// More of them may be found only by chance, as absent keys are.
func (r *run) everyByte(f *Filter) {
	long := r.long()
	short := long[:keyBytes:keyBytes]
	f.Insert(bytes.Clone(short))
	hits, asked, found := r.found(f, absent, r.Queries), 0, 0
	ask := func(key []byte) {
		asked++
		count(&found, f.Contains(bytes.Clone(key)))
	}
	flipped := func(key []byte, at int, bit byte) []byte {
		key = bytes.Clone(key)
		key[at] ^= bit
		return key
	}
	for at := 0; at < longKey; at += longKey/8 - 1 {
		ask(flipped(long, at, 0x10))
	}
	ask(long[:longKey-1])
	for at := range short {
		ask(flipped(short, at, 0x80))
		ask(short[:at])
		ask(append(bytes.Clone(short), make([]byte, at+1)...))
	}
	if exceeds(found, asked, hits, r.Queries, r.FalseAlarm) {
		r.fail("%d of %d neighbours of keys are found: some bytes of a key do not count", found, asked)
	}
}

// checkAliasing passes every key in one buffer, overwritten after each call, and looks for changes to the buffer.
func checkAliasing(r *run) Finding {
	f := r.open()
	twin, kept := r.openFilled(r.most())
	b := new(borrowed)
	var accepted []int
	for i := range r.most() {
		b.lend(r, i, func(key []byte) {
			if f.Insert(key) {
				accepted = append(accepted, i)
			}
		})
	}
	// Asked in memory of their own: a filter that keeps the lent memory would compare it with itself. What a filter loses
	// anyway, its twin that was given memory of its own has lost too: as many keys, unless it loses them by chance.
	anyway := r.lost(twin, kept)
	lost := r.lost(f, accepted) - anyway
	for _, i := range accepted {
		b.lend(r, i, func(key []byte) { f.Contains(key) })
		if f.Count != nil {
			b.lend(r, i, func(key []byte) { f.Count(key) })
		}
		if f.Delete != nil {
			b.lend(r, i, func(key []byte) { f.Delete(key) })
		}
	}
	if chance := r.Random && anyway > 0; lost > 0 && !chance && b.changed == 0 {
		return failed("%d of %d keys are lost when their memory is used again: the filter keeps it", lost, len(accepted))
	}
	if b.changed > 0 {
		return failed("%d of %d calls changed the key or the memory behind it", b.changed, b.calls)
	}
	if lost > 0 {
		return skipped("the filter loses keys by chance: %d of %d, and %d without a reuse of their memory", anyway+lost,
			len(accepted), anyway)
	}
	return passed("%d calls neither kept nor changed their key", b.calls)
}

// borrowed is memory that is lent to the filter as a key, with more memory behind it that an append to the key would
// overwrite.
type borrowed struct {
	buffer         [4 * keyBytes]byte
	calls, changed int
}

// lend puts key i into the memory, makes the call and counts whether the memory was changed.
func (b *borrowed) lend(r *run, i int, call func(key []byte)) {
	copy(b.buffer[:], append(r.key(inserted, i), bytes.Repeat([]byte{0xa5}, len(b.buffer))...))
	want := b.buffer
	call(b.buffer[:keyBytes])
	b.calls++
	count(&b.changed, b.buffer != want)
	clear(b.buffer[:])
}
