package rediscf

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// spread multiplies a fingerprint into the distance between the two buckets.
const spread = 0x5bd1e995

// murmur hashes keys. It is immutable.
var murmur = hashing.NewDigester(hashing.Murmur64A(0))

// Digest returns the digest of a key: its MurmurHash64A with seed 0, on every machine as on a
// little-endian one. A nil and an empty key are one legal key, whose digest is 0.
func Digest(key []byte) uint64 { return murmur.Sum64(key) }

// DigestString is [Digest] of the bytes of key.
func DigestString(key string) uint64 { return murmur.Sum64String(key) }

// split returns the fingerprint of a digest and what the alternate bucket is the rest of.
func split(h uint64) (fp, alternate uint64) {
	fp = h%255 + 1
	return fp, h ^ fp*spread
}

// scheme pairs the buckets of a sub-filter, a power of two, so that a bucket number will do in place of the digest.
func (s *sub) scheme() kick.Scheme {
	mask := s.mask
	return kick.NewForeign(mask+1, func(bucket, fp uint64) uint64 { return (bucket ^ fp*spread) & mask })
}

// put stores fp in a free slot of the two buckets, if there is one.
func (s *sub) put(h, alternate, fp uint64) bool {
	return s.table.Replace(h&s.mask, 0, fp) || s.table.Replace(alternate&s.mask, 0, fp)
}

// AddHash adds a key with digest h, whether or not it is in the filter: CF.ADD. It looks for a free slot in two buckets
// of each sub-filter from the newest on, then makes at most MaxIterations kicks in the newest, then grows.
//
// The copies of one key that a sub-filter holds are at most 2*BucketSize, so the same key added again and
// again makes a filter grow. With 32 sub-filters and more AddHash is [ErrExpansions]; without growth,
// [ErrFull]; beyond [Limits], [ErrTooLarge]. The filter is then unchanged. Only growth allocates.
func (f *Filter) AddHash(h uint64) error {
	if len(f.subs) >= maxFilters {
		return errMost
	}
	return f.add(h)
}

// add is AddHash without the check that the server makes once a command.
func (f *Filter) add(h uint64) error {
	fp, alternate := split(h)
	for k := len(f.subs) - 1; k >= 0; k-- {
		if f.subs[k].put(h, alternate, fp) {
			f.items++
			return nil
		}
	}
	if err := f.addFull(h, alternate, fp); err != nil {
		return err
	}
	f.items++
	return nil
}

// addFull adds to a filter that has no free slot for fp, by kicks or growth.
func (f *Filter) addFull(h, alternate, fp uint64) error {
	switch {
	case len(f.subs) == 0:
		if err := f.Reserve(Config{}); err != nil {
			return err
		}
	default:
		mask := f.subs[len(f.subs)-1].mask
		if f.engine.Kick(h&mask, alternate&mask, 0, fp) == kick.Stored {
			return nil
		}
		if f.shape.expansion == 0 {
			return errFull
		}
		if err := f.grow(); err != nil {
			return err
		}
	}
	f.subs[len(f.subs)-1].put(h, alternate, fp) // empty, so it has room
	return nil
}

// AddNXHash adds a key with digest h unless ExistsHash says that it is in the filter, and reports
// whether it added it: CF.ADDNX. A false positive of ExistsHash leaves a new key out. The errors are
// those of AddHash; with 32 sub-filters a key that is in the filter is refused too.
func (f *Filter) AddNXHash(h uint64) (added bool, err error) {
	if len(f.subs) >= maxFilters {
		return false, errMost
	}
	if f.ExistsHash(h) {
		return false, nil
	}
	err = f.add(h)
	return err == nil, err
}

// ExistsHash tells whether a key with digest h may have been added: CF.EXISTS. It never says no of a
// key that is in the filter. It says yes of others at a rate of about 2*BucketSize*load/255 for each
// sub-filter, whose two buckets it looks at from the oldest on.
func (f *Filter) ExistsHash(h uint64) bool {
	fp, alternate := split(h)
	for k := range f.subs {
		s := &f.subs[k]
		t := &s.table
		i, j := h&s.mask, alternate&s.mask
		if t.Layout == packed.Word {
			// Both buckets are loaded before either is looked at, so that their cache misses overlap.
			if t.Last.Equal(t.Word(i), fp)|t.Last.Equal(t.Word(j), fp) != 0 {
				return true
			}
		} else if t.HasEither(i, j, fp) {
			return true
		}
	}
	return false
}

// CountHash returns how many fingerprints like that of a key with digest h are in its buckets, over
// all sub-filters: CF.COUNT. Other keys may be among them. Where both buckets are one, as they may be in
// a sub-filter of fewer than 256 buckets, each is counted twice.
func (f *Filter) CountHash(h uint64) int {
	fp, alternate := split(h)
	n := 0
	for k := range f.subs {
		s := &f.subs[k]
		n += s.table.Count(h&s.mask, fp) + s.table.Count(alternate&s.mask, fp)
	}
	return n
}

// DelHash removes one copy of a key with digest h, from the newest sub-filter that has one, and reports
// whether there was one: CF.DEL. Delete only keys that were added. The filter cannot check that: the delete
// of another key can remove the fingerprint of a key that was added.
//
// When there are several sub-filters and more than a tenth of the items has been deleted since the last
// compaction, it moves fingerprints as [Filter.Compact] does, except that it stops at the first
// sub-filter that it cannot empty. That touches all of the newest sub-filters.
func (f *Filter) DelHash(h uint64) bool {
	fp, alternate := split(h)
	for k := len(f.subs) - 1; k >= 0; k-- {
		s := &f.subs[k]
		if s.table.Replace(h&s.mask, fp, 0) || s.table.Replace(alternate&s.mask, fp, 0) {
			f.items--
			f.deletes++
			// In whole numbers, deletes > 0.10*items.
			if len(f.subs) > 1 && f.deletes > f.items/10 {
				f.compact(false)
			}
			return true
		}
	}
	return false
}

// Compact moves the fingerprints of each sub-filter but the oldest, the newest first, into free slots of
// older ones and drops those at the new end that it has emptied: CF.COMPACT. It makes no kicks. It
// visits every slot, and for each fingerprint two buckets of each older sub-filter at most.
func (f *Filter) Compact() { f.compact(true) }

// compact is Compact; unless forced it stops at a sub-filter that it cannot empty.
func (f *Filter) compact(forced bool) {
	for k := len(f.subs) - 1; k > 0; k-- {
		emptied := f.drain(k)
		if emptied && k == len(f.subs)-1 {
			f.shrink()
		}
		if !emptied && !forced {
			break
		}
	}
	f.deletes = 0
}

// drain moves what it can of sub-filter k into older ones and tells whether nothing is left.
func (f *Filter) drain(k int) (emptied bool) {
	emptied = true
	slots := int(f.shape.bucketSize)
	for at, fp := range f.subs[k].data() {
		if fp == 0 {
			continue
		}
		bucket := uint64(at / slots)
		if f.settle(k, bucket, uint64(fp)) {
			f.subs[k].table.Set(bucket, uint(at%slots), 0)
		} else {
			emptied = false
		}
	}
	return emptied
}

// settle stores a fingerprint of a bucket of sub-filter k in the oldest of the older ones that has a
// free slot for it. Those have as many buckets or fewer, so the bucket number stands in for the digest.
func (f *Filter) settle(k int, bucket, fp uint64) bool {
	for older := range f.subs[:k] {
		if f.subs[older].put(bucket, bucket^fp*spread, fp) {
			return true
		}
	}
	return false
}
