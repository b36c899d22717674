package rediscf

import (
	"errors"
	"fmt"
)

// Result is what became of one key of an insert of many: the integer that the server replies.
type Result int8

// The results.
const (
	// Refused: there was no slot, and the filter does not grow. Add returns [ErrFull] for it.
	Refused Result = -1
	// Existed: the key was in the filter already, or a false positive; InsertNX did not add it.
	Existed Result = 0
	// Added: the key was added.
	Added Result = 1
)

// InsertOptions are the options of CF.INSERT and CF.INSERTNX. They matter only to a filter that was not
// reserved.
type InsertOptions struct {
	_ struct{}

	// Capacity is that of the filter that is made; its other parameters are the server's defaults. It is
	// from 4 to 2^30, and anything else is [ErrConfig], used or not. The default, 0, is 1024.
	Capacity int
	// NoCreate makes no filter: an insert into one that was not reserved is [ErrNotFound].
	NoCreate bool
}

// InsertHashes adds the keys with digests hs in order, each as [Filter.AddHash] does, and writes what became
// of hs[k] to dst[k]: CF.INSERT. A key that is Refused does not stop it. dst must be as long as hs; a
// shorter one panics, as copying into an array does.
//
// As the server does, it asks once, before the first key, whether the filter has 32 sub-filters already,
// which is [ErrExpansions]; on the way the filter may grow beyond. Beyond [Limits] it stops with
// [ErrTooLarge]. In all cases n results are written, of hs[:n], and hs[n:] were not added.
func (f *Filter) InsertHashes(hs []uint64, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, hs, dst, o, false)
}

// InsertNXHashes is [Filter.InsertHashes] with [Filter.AddNXHash] for each key: CF.INSERTNX. So a key that
// occurs twice is added once.
func (f *Filter) InsertNXHashes(hs []uint64, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, hs, dst, o, true)
}

// Insert is [Filter.InsertHashes] of the keys' digests.
func (f *Filter) Insert(keys [][]byte, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o, false)
}

// InsertStrings is [Filter.InsertHashes] of the keys' digests.
func (f *Filter) InsertStrings(keys []string, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o, false)
}

// InsertNX is [Filter.InsertNXHashes] of the keys' digests.
func (f *Filter) InsertNX(keys [][]byte, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o, true)
}

// InsertNXStrings is [Filter.InsertNXHashes] of the keys' digests.
func (f *Filter) InsertNXStrings(keys []string, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o, true)
}

// MExistsHashes writes to dst[k] what [Filter.ExistsHash] says of hs[k]: CF.MEXISTS. dst must be as long
// as hs; a shorter one panics, as copying into an array does.
func (f *Filter) MExistsHashes(hs []uint64, dst []bool) { exists(f, hs, dst) }

// MExists is [Filter.MExistsHashes] of the keys' digests.
func (f *Filter) MExists(keys [][]byte, dst []bool) { exists(f, keys, dst) }

// MExistsStrings is [Filter.MExistsHashes] of the keys' digests.
func (f *Filter) MExistsStrings(keys []string, dst []bool) { exists(f, keys, dst) }

// A form is what a key comes as.
type form interface{ []byte | string | uint64 }

// digestOf returns the digest of a key of any form.
func digestOf[K form](key K) uint64 {
	switch k := any(key).(type) {
	case []byte:
		return Digest(k)
	case string:
		return DigestString(k)
	default:
		return k.(uint64)
	}
}

// exists is MExists for keys of any form.
func exists[K form](f *Filter, keys []K, dst []bool) {
	dst = dst[:len(keys):len(dst)] // the third index: spare capacity is not room
	for k, key := range keys {
		dst[k] = f.ExistsHash(digestOf(key))
	}
}

// insert is Insert, or with unique InsertNX, for keys of any form.
func insert[K form](f *Filter, keys []K, dst []Result, o InsertOptions, unique bool) (n int, err error) {
	dst = dst[:len(keys):len(dst)]
	if err := f.beginInsert(o); err != nil {
		return 0, err
	}
	for k, key := range keys {
		h := digestOf(key)
		if unique && f.ExistsHash(h) {
			dst[k] = Existed
			continue
		}
		switch err := f.add(h); {
		case err == nil:
			dst[k] = Added
		case errors.Is(err, ErrFull):
			dst[k] = Refused
		default:
			return k, err
		}
	}
	return len(keys), nil
}

// beginInsert makes the checks of an inserting command, and the filter if there is none.
func (f *Filter) beginInsert(o InsertOptions) error {
	c := Config{Capacity: o.Capacity}
	if o.Capacity != 0 { // Validate allocates
		if err := c.Validate(); err != nil {
			return err
		}
	}
	switch {
	case len(f.subs) >= maxFilters:
		return errMost
	case len(f.subs) > 0:
		return nil
	case o.NoCreate:
		return fmt.Errorf("rediscf: insert: %w", ErrNotFound)
	default:
		return f.Reserve(c)
	}
}
