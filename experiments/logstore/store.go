package logstore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// The errors of this package. The messages say which file, and at which byte. [ErrDeleted] is an [ErrNotFound] too:
// the key has a record until [Store.Compact]. [ErrSize] is of keys and values longer than a store takes, of a log as
// long as there can be, and of an index with as many keys of one digest. [ErrLocked] says that the store is open
// already, and one of both is to change it.
var (
	ErrNotFound = errors.New("no such key")
	ErrDeleted  = fmt.Errorf("deleted: %w", ErrNotFound)
	ErrSize     = errors.New("too large for a store")
	ErrNoStore  = errors.New("no store")
	ErrLocked   = errors.New("store is open already")
	ErrReadOnly = errors.New("store was opened to be read only")
	ErrClosed   = errors.New("store is closed")
	ErrVersion  = nest.ErrVersion // the store is of another version
	ErrCorrupt  = nest.ErrCorrupt // the bytes of a file contradict their checksum
)

// index is the index of a store: where the last record of each key is.
type index = maplet.Map[fingerprint.Bits12]

// Store is a store that is open. Make one with [Open], and end with [Store.Close].
type Store struct {
	dir     *folder
	release func() error
	hash    hashing.Digester

	// change is held by who changes the store, and then mu by who reads the fields below or, to write, changes them. Who
	// holds change reads without mu.
	change    sync.Mutex
	mu        sync.RWMutex
	log       *log
	index     *index
	counts    Counts
	kept      manifest // of the last checkpoint; none where its index was damaged
	every     int64    // of the options
	recovered Recovery
	sequence  uint64        // of the last record
	reads     atomic.Uint64 // of records by lookups
}

// find returns the record of a key with a digest, or one of kind 0. The caller holds mu or change.
func (s *Store) find(key []byte, digest uint64) (record, error) {
	for place := range s.index.LookupHash(digest) {
		s.reads.Add(1)
		if r, err := s.log.read(place); err != nil || bytes.Equal(r.key, key) {
			return r, err
		}
	}
	return record{}, nil
}

// Get returns the value of a key, in memory of its own. It reads the log once for each candidate of the index. The
// error is [ErrNotFound], or [ErrDeleted] where a Delete of the key has a record yet; [ErrCorrupt] if a record that it
// read is damaged.
func (s *Store) Get(key []byte) (value []byte, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil {
		return nil, ErrClosed
	}
	r, err := s.find(key, s.hash.Sum64(key))
	if err == nil {
		err = missing[r.kind]
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, r.value...), nil
}

// missing is why the record of a key gives it no value, by its kind.
var missing = [...]error{0: ErrNotFound, putKind: nil, deleteKind: ErrDeleted}

// Put gives a key a value, in place of the one that it may have. It survives the end of the process from the next
// [Store.Sync] on. Key or value beyond [MaxKey] and [MaxValue] are [ErrSize], and so is the ninth key of one digest.
// After an error the store is as it was.
func (s *Store) Put(key, value []byte) error {
	return s.alone(false, func() error { return s.put(putKind, key, value, false) })
}

// Delete takes the value of a key away. The error is [ErrNotFound], or [ErrDeleted], if it has none.
func (s *Store) Delete(key []byte) error {
	return s.alone(false, func() error { return s.put(deleteKind, key, nil, false) })
}

// Sync makes all records survive that were put before.
func (s *Store) Sync() error { return s.alone(false, func() error { return s.log.settle() }) }

// alone does work while no other changes the store, which is to be read only or not. The error says also why it cannot.
func (s *Store) alone(toRead bool, work func() error) error {
	s.change.Lock()
	defer s.change.Unlock()
	if s.index == nil {
		return ErrClosed
	}
	if err := s.dir.lost; err != nil && (!toRead || err != ErrReadOnly) {
		return err
	}
	return work()
}

// put appends a record of a key. A last one is to survive before the index points to it, so that an error leaves the
// key what it was.
func (s *Store) put(k kind, key, value []byte, last bool) error {
	digest := s.hash.Sum64(key)
	was, err := s.find(key, digest)
	if err == nil && k == deleteKind {
		err = missing[was.kind]
	}
	if err == nil && (len(key) > MaxKey || len(value) > MaxValue) {
		err = fmt.Errorf("%w: a key of %d bytes and a value of %d, want at most %d and %d", ErrSize, len(key), len(value),
			MaxKey, MaxValue)
	}
	if same := last && was.kind == putKind && bytes.Equal(was.value, value); err != nil || same {
		return err
	}
	// More was put since the last checkpoint than one costs several times over.
	if s.log.end()-s.kept.At >= cmp.Or(s.every, max(64<<20, 4*int64(s.index.SizeBytes()))) {
		if err := s.checkpoint(s); err != nil {
			return err
		}
	}
	return s.add(digest, was, newRecord(k, key, value, s.sequence+1), last)
}

// add appends a record, which is to survive before the index points to it if it is a last one. The index points to it
// in place of another one.
func (s *Store) add(digest uint64, was, now record, last bool) error {
	if err := s.log.add(&now); err != nil {
		return err
	}
	var err error
	if last {
		err = s.log.settle()
	}
	if err == nil {
		err = s.point(digest, was, now)
	}
	if err != nil {
		err = errors.Join(err, s.log.undo(int64(now.place)*unit))
	}
	return err
}

// move counts a record that comes in place of another one, whose kind is 0 if there is none.
func (c *Counts) move(was, now record) {
	for n, r := range []record{was, now} {
		sign := 2*n - 1
		switch r.kind {
		case putKind:
			c.Keys += sign
		case deleteKind:
			c.Deleted += sign
		default:
			continue
		}
		c.LiveBytes += int64(sign) * r.size()
	}
}

// point has the index give the place of a record for a digest, in place of that of another one, and counts it.
func (s *Store) point(digest uint64, was, now record) (err error) {
	for full := was.kind == 0 && s.index.Len() >= s.index.Slots()/100*maxPercent; ; full = true {
		if full {
			if err := s.grow(); err != nil {
				return err
			}
		}
		s.mu.Lock()
		if was.kind != 0 {
			_, err = s.index.UpdateHash(digest, was.place, now.place)
		} else {
			err = s.index.InsertHash(digest, now.place)
		}
		if err == nil {
			s.counts.move(was, now)
			s.sequence = max(s.sequence, now.sequence)
		}
		s.mu.Unlock()
		if !errors.Is(err, maplet.ErrFull) {
			return err
		}
		if s.index.LoadFactor() <= 0.5 { // it is not by chance: no growth parts keys of one digest
			return fmt.Errorf("%w: there are too many keys of the same digest: %w", ErrSize, err)
		}
	}
}

// Stats is what a store knows of itself.
type Stats struct {
	Counts
	// LogBytes are those of the log.
	LogBytes int64
	// IndexBytes and IndexLoad are the memory of the index and the used share of its slots.
	IndexBytes int
	IndexLoad  float64
	// Reads is how many records lookups and changes read since the store was opened.
	Reads uint64
}

// Counts is what is known of the records of a log without reading it.
type Counts struct {
	// Keys have a value. Deleted were deleted and have a record yet. LiveBytes are those of the records of both.
	Keys, Deleted int
	LiveBytes     int64
}

// Stats returns what the store knows of itself.
func (s *Store) Stats() Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil {
		return Stats{}
	}
	return Stats{s.counts, s.log.end(), s.index.SizeBytes(), s.index.LoadFactor(), s.reads.Load()}
}

// Close makes all records survive, stores the index and closes the files. The store takes nothing more. If that fails
// the error says why, and the records that were synced are there.
func (s *Store) Close() error {
	s.change.Lock()
	defer s.change.Unlock()
	if s.index == nil {
		return nil
	}
	err := s.dir.lost
	if err == nil {
		err = s.checkpoint(s)
	} else if err == ErrReadOnly {
		err = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = nil
	return errors.Join(err, s.log.file.Close(), s.release())
}
