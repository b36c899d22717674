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

// InsertOptions are the options of CF.INSERT. All but NX matter only to a filter that was not reserved.
type InsertOptions struct {
	_ struct{}

	// NX adds no key that is in the filter, as [Filter.AddNXHash] does: CF.INSERTNX. So a key that occurs twice is
	// added once.
	NX bool
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
	return insert(f, hs, dst, o)
}

// Insert is [Filter.InsertHashes] of the keys' digests.
func (f *Filter) Insert(keys [][]byte, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o)
}

// InsertStrings is [Filter.InsertHashes] of the keys' digests.
func (f *Filter) InsertStrings(keys []string, dst []Result, o InsertOptions) (n int, err error) {
	return insert(f, keys, dst, o)
}

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

// insert is Insert for keys of any form.
func insert[K form](f *Filter, keys []K, dst []Result, o InsertOptions) (n int, err error) {
	dst = dst[:len(keys):len(dst)] // the third index: spare capacity is not room
	if err := f.beginInsert(o); err != nil {
		return 0, err
	}
	for k, key := range keys {
		h := digestOf(key)
		if o.NX && f.ExistsHash(h) {
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
