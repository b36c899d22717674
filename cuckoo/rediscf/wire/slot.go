package wire

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
)

// Slots is the number of slots of a Redis Cluster.
const Slots = 1 << 14

// Slot returns the slot of a key in a Redis Cluster, as CLUSTER KEYSLOT does: CRC-16/XMODEM of the key's
// tag modulo 16384 (Redis Cluster specification, "Hash tags"). The tag is what stands between the first {
// and the next } if that is not empty, else the whole key.
func Slot(key string) int {
	t, ok := tag(key)
	if !ok {
		t = key
	}
	return int(crc16(t)) % Slots
}

// tag returns a key's tag and whether it has one.
func tag(key string) (string, bool) {
	_, rest, ok := strings.Cut(key, "{")
	if !ok {
		return "", false
	}
	t, _, ok := strings.Cut(rest, "}")
	return t, ok && t != ""
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, the highest bit first, starting from 0. Keys are short and
// hashed once a push, so there is no table.
func crc16(s string) uint16 {
	var crc uint16
	for k := range len(s) {
		crc ^= uint16(s[k]) << 8
		for range 8 {
			crc = crc<<1 ^ crc>>15*0x1021
		}
	}
	return crc
}

// temporaryKey returns a name that nobody has, in the slot of key, so that a cluster can rename the one to
// the other: the key itself if it has a tag, else the key as a tag, and random digits behind. A key that has
// a } but no tag cannot be one; the least number in its slot is taken instead, of some 16384 that are tried.
func temporaryKey(key string) string {
	var random [8]byte
	rand.Read(random[:]) // never fails
	suffix := ":tmp-" + hex.EncodeToString(random[:])
	if _, tagged := tag(key); tagged {
		return key + suffix
	}
	t := key
	for n := 0; t == "" || strings.Contains(t, "}") || Slot(t) != Slot(key); n++ {
		t = strconv.Itoa(n)
	}
	return "{" + t + "}" + suffix
}
