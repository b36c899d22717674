package cuckoo

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// watcher lets another policy kick, and holds what the walk tells to what happened to the table.
type watcher struct {
	KickPolicy
	t           *testing.T
	kicks, long int
}

func (w *watcher) Kick(walk *Walk) {
	before, fp, left := slotsOf(walk), walk.Homeless(), walk.Left()
	w.KickPolicy.Kick(walk)
	n := 0
	for bucket, slot := range walk.Path() {
		at := &before[bucket*uint64(walk.BucketSize())+uint64(slot)]
		*at, fp = fp, *at
		n++
	}
	if fp != walk.Homeless() || !slices.Equal(before, slotsOf(walk)) {
		w.t.Fatalf("%s: the path of %d slots does not lead to the table", w.Recipe(), n)
	}
	kicks := n
	if fp == 0 {
		kicks--
		w.kicks += kicks
		w.long = max(w.long, kicks)
	} else if walk.Left() != left-kicks {
		w.t.Fatalf("%s: a path of %d kicks, and %d of %d are left", w.Recipe(), kicks, walk.Left(), left)
	}
	// Every bucket of a path behind the first was looked into.
	looks, is := walk.Examined(), w.KickPolicy
	if looks < kicks && is != KickPolicy(selfish{}) || looks != kicks && is == KickPolicy(RandomWalk) {
		w.t.Fatalf("%s: %d buckets examined in %d kicks", w.Recipe(), looks, kicks)
	}
}

// slotsOf returns the whole table.
func slotsOf(w *Walk) (all []uint64) {
	for bucket := range w.w.Buckets() {
		for slot := range w.BucketSize() {
			all = append(all, w.Slot(bucket, slot))
		}
	}
	return all
}

// TestWalk_PathLeadsToTheTable overfills tables under each policy and replays what each walk tells of itself. A filter that
// is not watched makes the same kicks.
func TestWalk_PathLeadsToTheTable(t *testing.T) {
	for _, policy := range policies {
		for _, c := range []Config{
			{Buckets: 64, BucketSize: 4, FingerprintBits: 8}, {Buckets: 33, BucketSize: 1, FingerprintBits: 13},
			{Buckets: 1, BucketSize: 2, FingerprintBits: 5}, {Buckets: 32, BucketSize: 8, FingerprintBits: 31, Placement: XOR},
			{Buckets: 64, BucketSize: 4, FingerprintBits: 12, Layout: PairedSlots},
			{Buckets: 33, BucketSize: 8, FingerprintBits: 19, Layout: PairedSlots},
			{Buckets: 64, BucketSize: 4, FingerprintBits: 12, MaxKicks: 3},
		} {
			t.Run(fmt.Sprintf("%s/%d/%d/%d", policy.Recipe(), c.Buckets, c.BucketSize, c.FingerprintBits), func(t *testing.T) {
				c.Kick = policy
				plain, err := New[fingerprint.Any](c)
				if err != nil {
					t.Fatal(err)
				}
				w := &watcher{KickPolicy: policy, t: t}
				c = plain.Config()
				c.Kick = w
				f, err := New[fingerprint.Any](c)
				if err != nil {
					t.Fatal(err)
				}
				for i := range uint64(f.Slots() + 20) {
					if h := hashing.Mix64(i); plain.InsertHash(h) != f.InsertHash(h) {
						t.Fatalf("key %d: a watched filter refuses others", i)
					}
				}
				s := f.Stats()
				if !f.Equal(plain) || s != plain.Stats() || s.Kicks != uint64(w.kicks) || s.LongestPath != uint64(w.long) {
					t.Errorf("watched %+v, plain %+v, %d kicks shown and at most %d", s, plain.Stats(), w.kicks, w.long)
				}
			})
		}
	}
}

// TestWalk_ExaminedCountsWhatIsRead: where the first look finds a slot it is the only one, and a search that finds none has
// looked at as many nodes as its limit says.
func TestWalk_ExaminedCountsWhatIsRead(t *testing.T) {
	for _, policy := range []KickPolicy{BreadthFirst, LookAhead} {
		for _, layout := range []Layout{Packed, SemiSorted, PairedSlots} {
			w := &counted{base: policy}
			f, err := New[fingerprint.Bits12](Config{Buckets: 256, BucketSize: 4, Layout: layout, Kick: w, MaxKicks: 50})
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint64(f.Slots()) {
				w.looks, w.first = -1, false
				err := f.InsertHash(hashing.Mix64(i))
				if err != nil && w.looks >= 0 && w.looks < 50 || err == nil && w.looks > 4*51 {
					t.Fatalf("%v, %v: key %d: %v after %d buckets", policy, layout, i, err, w.looks)
				} else if w.first && w.looks != 1 {
					t.Fatalf("%v, %v: key %d: the first look found a slot, %d were counted", policy, layout, i, w.looks)
				}
			}
		}
	}
}

// counted says how many buckets a policy examined, and whether the first one that it looks at has a free slot.
type counted struct {
	base  KickPolicy
	looks int
	first bool
}

func (c *counted) Recipe() string { return c.base.Recipe() }

func (c *counted) Kick(w *Walk) {
	i, _ := w.Homes()
	if w.w.Takes(i, 0) && w.w.Takes(i, 1) && w.w.Takes(i, 2) { // slots are not paired
		_, c.first = w.Free(w.Alternate(i, w.Slot(i, 0)))
	}
	before := w.Examined()
	c.base.Kick(w)
	c.looks = w.Examined() - before
}
