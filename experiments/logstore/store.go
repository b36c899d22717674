package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// index is the index of a store: where the last record of each key is.
type index = maplet.Map[fingerprint.Bits12]

// Store is a store that is open. Make one with [Open], and end with [Store.Close].
type Store struct {
	dir     files
	release func() error
	segment int64 // the bytes from which on a segment is full
	hash    hashing.Digester
	memory  sync.Pool        // of *[probeBytes]byte, for lookups
	own     [probeBytes]byte // for who holds change

	// syncing is held by who syncs, change by who changes the store, and mu by who reads the fields below or, to write,
	// changes them. They are taken in this order. Who holds change reads without mu.
	syncing, change sync.Mutex
	mu              sync.RWMutex
	log             *log
	index           *index
	counts          counts
	kept            manifest // the one in force
	failed          error    // why the store takes no more changes
	recovered       Recovery

	sequence, durable atomic.Uint64 // of the last record, and of the last that survives
	reads             atomic.Uint64 // of records by lookups
}

// find returns the record of a key with a digest, if there is one: its place, its head and its value, which is valid as
// long as buf is. The caller holds mu or change.
func (s *Store) find(key []byte, digest uint64, buf []byte) (at uint64, h head, value []byte, known bool, err error) {
	for place := range s.index.LookupHash(digest) {
		s.reads.Add(1)
		h, b, err := s.log.read(place, buf)
		if err != nil {
			return 0, head{}, nil, false, err
		}
		if found, value := h.parts(b); bytes.Equal(found, key) {
			return place, h, value, true, nil
		}
	}
	return 0, head{}, nil, false, nil
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
	memory, _ := s.memory.Get().(*[probeBytes]byte)
	if memory == nil {
		memory = new([probeBytes]byte)
	}
	defer s.memory.Put(memory)
	switch _, h, found, known, err := s.find(key, s.hash.Sum64(key), memory[:]); {
	case err != nil:
		return nil, err
	case !known:
		return nil, ErrNotFound
	case h.kind == deleteKind:
		return nil, ErrDeleted
	default:
		return append([]byte{}, found...), nil
	}
}

// Put gives a key a value, in place of the one that it may have. It survives the end of the process from the next
// [Store.Sync] on. Key or value beyond [MaxKey] and [MaxValue] are [ErrSize], and so is the ninth key of one digest.
// After an error the store is as it was.
func (s *Store) Put(key, value []byte) error {
	if len(key) > MaxKey || len(value) > MaxValue {
		return fmt.Errorf("%w: a key of %d bytes and a value of %d, want at most %d and %d", ErrSize, len(key), len(value),
			MaxKey, MaxValue)
	}
	return s.add(putKind, key, value)
}

// Delete takes the value of a key away. The error is [ErrNotFound], or [ErrDeleted], if it has none.
func (s *Store) Delete(key []byte) error { return s.add(deleteKind, key, nil) }

// add appends a record and has the index point to it.
func (s *Store) add(k kind, key, value []byte) error {
	s.change.Lock()
	defer s.change.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	digest := s.hash.Sum64(key)
	old, was, _, known, err := s.find(key, digest, s.own[:])
	switch {
	case err != nil:
		return err
	case k == deleteKind && !known:
		return ErrNotFound
	case k == deleteKind && was.kind == deleteKind:
		return ErrDeleted
	}
	if err := s.room(recordBytes(len(key), len(value))); err != nil {
		return err
	}
	place := placeOf(s.log.active().id, s.log.end())
	return s.point(digest, old, known, place, func() {
		s.log.buf = appendRecord(s.log.buf, s.log.start(), k, key, value, s.sequence.Add(1), s.log.synced)
		s.counts.move(was, head{kind: k, key: len(key), value: len(value)})
	})
}

// putLast makes all that was put survive, then gives a key a value, which survives too. It points the index to the
// record when that is on the disk, so that an error leaves the key what it was.
func (s *Store) putLast(key, value []byte) error {
	defer s.alone()()
	if err := s.usable(); err != nil {
		return err
	}
	digest := s.hash.Sum64(key)
	old, was, found, known, err := s.find(key, digest, s.own[:])
	if err != nil {
		return err
	}
	same := known && was.kind == putKind && bytes.Equal(found, value)
	if err := s.settle(); err != nil || same {
		return err
	}
	if err := s.room(recordBytes(len(key), len(value))); err != nil {
		return err
	}
	a, at := s.log.active(), s.log.end()
	record := appendRecord(nil, s.log.start(), putKind, key, value, s.sequence.Load()+1, s.log.synced)
	if _, err := a.file.WriteAt(record, at); err != nil {
		return a.wrap(at, errors.Join(err, a.undo(at)))
	}
	if err := a.sync(); err != nil {
		return s.fail(a.wrap(at, errors.Join(err, a.undo(at))))
	}
	err = s.point(digest, old, known, placeOf(a.id, at), func() {
		a.written += int64(len(record))
		s.sequence.Add(1)
		s.counts.move(was, head{kind: putKind, key: len(key), value: len(value)})
	})
	if err != nil {
		if undone := errors.Join(a.undo(at), a.sync()); undone != nil { // else the next Open would find it
			return errors.Join(err, s.fail(a.wrap(at, undone)))
		}
		return err
	}
	s.log.synced = a.written
	s.durable.Store(s.sequence.Load())
	return nil
}

// alone waits for all who sync or change the store, and keeps others out until what it returns is called.
func (s *Store) alone() (end func()) {
	s.syncing.Lock()
	s.change.Lock()
	return func() {
		s.change.Unlock()
		s.syncing.Unlock()
	}
}

// usable returns why the store takes no changes, or nil.
func (s *Store) usable() error {
	if s.index == nil {
		return ErrClosed
	}
	return s.failed
}

// readable returns why the whole log cannot be read, or nil.
func (s *Store) readable() error {
	if err := s.usable(); err != ErrReadOnly {
		return err
	}
	return nil
}

// move counts a record that comes in place of another one, whose kind is 0 if there is none.
func (c *counts) move(was, now head) {
	c.count(was, -1)
	c.count(now, 1)
}

// count adds a record to the counts, or takes it away.
func (c *counts) count(r head, sign int) {
	switch r.kind {
	case putKind:
		c.Keys += sign
	case deleteKind:
		c.Deleted += sign
	default:
		return
	}
	c.LiveBytes += int64(sign) * r.size()
}

// point has the index give a place for a digest, in place of the old one if that is known, and calls then with the lock
// held.
func (s *Store) point(h, old uint64, known bool, place uint64, then func()) error {
	try := func() (err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if known {
			_, err = s.index.UpdateHash(h, old, place)
		} else {
			err = s.index.InsertHash(h, place)
		}
		if err == nil {
			then()
		}
		return err
	}
	if !known && s.index.Len() >= s.index.Slots()/100*maxPercent {
		if err := s.grow(); err != nil {
			return err
		}
	}
	err := try()
	if errors.Is(err, maplet.ErrFull) && s.index.LoadFactor() > 0.5 { // by chance
		if err = s.grow(); err == nil {
			err = try()
		}
	}
	if errors.Is(err, maplet.ErrFull) { // no growth parts keys of one digest
		return fmt.Errorf("%w: there are too many keys of the same digest: %w", ErrSize, err)
	}
	return err
}

// room sees to it that the next record, of so many bytes, can be appended to the active segment.
func (s *Store) room(size int64) error {
	if s.log.end() >= s.segment {
		return s.rotate()
	}
	if len(s.log.buf) > 0 && int64(len(s.log.buf))+size > bufferBytes {
		return s.flush()
	}
	return nil
}

// flush writes the records that are in memory.
func (s *Store) flush() error {
	if err := s.log.write(); err != nil {
		return err
	}
	s.mu.Lock()
	s.log.wrote()
	s.mu.Unlock()
	return nil
}

// fail makes the store refuse changes for an error after which nobody knows what is on the disk.
func (s *Store) fail(err error) error {
	s.failed = fmt.Errorf("the store takes no changes until it is opened anew: %w", err)
	return s.failed
}

// settle writes all records and has them survive.
func (s *Store) settle() error {
	if err := s.flush(); err != nil {
		return err
	}
	if a := s.log.active(); s.log.synced < a.written {
		if err := a.sync(); err != nil {
			return s.fail(a.wrap(s.log.synced, err))
		}
		s.log.synced = a.written
	}
	s.durable.Store(s.sequence.Load())
	return nil
}

// Sync makes all records survive that were put before it was called, and those that other goroutines put until it
// writes. Calls at the same time share one fsync.
func (s *Store) Sync() error {
	target := s.sequence.Load()
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.change.Lock()
	err := s.usable()
	if err == nil && s.durable.Load() < target {
		err = s.flush()
	}
	if err != nil || s.durable.Load() >= target {
		s.change.Unlock()
		return err
	}
	a, last := s.log.active(), s.sequence.Load()
	written := a.written
	s.change.Unlock()

	err = a.sync() // others may put records meanwhile

	s.change.Lock()
	defer s.change.Unlock()
	if err != nil {
		return s.fail(a.wrap(s.log.synced, err))
	}
	if a == s.log.active() {
		s.log.synced = max(s.log.synced, written)
	}
	s.durable.Store(max(s.durable.Load(), last))
	return nil
}

// rotate seals the active segment and begins the next.
func (s *Store) rotate() error {
	if err := s.settle(); err != nil {
		return err
	}
	id, err := free(s.log)
	if err != nil {
		return err
	}
	next, err := createSegment(s.dir, id, s.log.number)
	if err != nil {
		return err
	}
	m := s.kept
	m.Segments = sealedOf(append(s.log.order[:len(s.log.order):len(s.log.order)], next))
	if err := s.commit(m); err != nil {
		err = errors.Join(err, next.file.Close())
		if s.failed == nil { // else the manifest may have it
			err = errors.Join(err, s.dir.remove(next.name))
		}
		return err
	}
	s.mu.Lock()
	s.log.push(next)
	s.mu.Unlock()
	return s.checkpointIfDue()
}

// commit puts a manifest in force.
func (s *Store) commit(m manifest) error {
	if unsure, err := m.commit(s.dir); err != nil {
		if unsure {
			return s.fail(err)
		}
		return err
	}
	s.kept = m
	return nil
}

// sealedOf lists segments for a manifest.
func sealedOf(order []*segment) (all []sealed) {
	for _, g := range order {
		all = append(all, sealed{g.id, g.written})
	}
	return all
}

// Stats is what a store knows of itself.
type Stats struct {
	// Keys have a value. Deleted were deleted and have a record yet.
	Keys, Deleted int
	// Segments and LogBytes are those of the log. LiveBytes of it are records that Get returns or ErrDeleted comes from.
	Segments            int
	LogBytes, LiveBytes int64
	// IndexBytes and IndexLoad are the memory of the index and the used share of its slots.
	IndexBytes int
	IndexLoad  float64
	// Reads is how many records lookups and changes read since the store was opened.
	Reads uint64
}

// Stats returns what the store knows of itself.
func (s *Store) Stats() Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil {
		return Stats{}
	}
	return Stats{
		Keys: s.counts.Keys, Deleted: s.counts.Deleted, LiveBytes: s.counts.LiveBytes,
		Segments: len(s.log.order), LogBytes: s.log.bytes(),
		IndexBytes: s.index.SizeBytes(), IndexLoad: s.index.LoadFactor(), Reads: s.reads.Load(),
	}
}
