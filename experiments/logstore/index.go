package logstore

import (
	"errors"
	"fmt"
	"io"

	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
)

const (
	// smallIndex is the size in bytes up to which the index doubles. A larger one grows by a quarter.
	smallIndex = 4 << 20
	// maxPercent is how many percent of its slots the index has used when it grows. An insert into a fuller one searches
	// long.
	maxPercent = 95
	// minKeys is the room of the first index.
	minKeys = 1000
)

// newIndex returns an index for so many keys.
func newIndex(keys int) (*index, error) {
	return maplet.New[fingerprint.Bits12](maplet.Config{Capacity: max(keys, minKeys), ValueBits: segmentBits + offsetBits})
}

// holds tells whether an index gives a place for a digest.
func holds(x *index, h, place uint64) bool {
	for found := range x.LookupHash(h) {
		if found == place {
			return true
		}
	}
	return false
}

// grow makes the index larger. It reads the keys of the log: those records are in it to which the old one points.
func (s *Store) grow() error {
	if err := s.flush(); err != nil {
		return err
	}
	for c := s.index.Config(); ; {
		if s.index.SizeBytes() < smallIndex {
			c.Buckets *= 2
		} else {
			c.Buckets += c.Buckets / 4
		}
		grown, err := maplet.New[fingerprint.Bits12](c)
		if err == nil {
			err = s.refill(grown)
		}
		if errors.Is(err, maplet.ErrFull) {
			continue // of so many buckets it is less likely each time
		}
		if err == nil {
			s.mu.Lock()
			s.index = grown
			s.mu.Unlock()
		}
		return err
	}
}

// A batch is records whose places are looked up, and inserted, together, so that their cache misses overlap.
type batch struct{ digests, places []uint64 }

// batchRecords is how many records a batch has.
const batchRecords = 1 << 10

// refill puts into an index all that is in the present one.
func (s *Store) refill(grown *index) error {
	left := s.index.Len()
	var seen, live batch
	move := func() error {
		live = batch{live.digests[:0], live.places[:0]}
		for k, place := range s.index.LookupHashes(seen.digests) {
			if place == seen.places[k] {
				live = batch{append(live.digests, seen.digests[k]), append(live.places, place)}
			}
		}
		left -= len(live.digests)
		seen = batch{seen.digests[:0], seen.places[:0]}
		_, err := grown.InsertHashes(live.digests, live.places)
		return err
	}
	err := s.log.each(false, func(h head, b []byte, place uint64) (more bool, err error) {
		seen = batch{append(seen.digests, s.hash.Sum64(b[headBytes:][:h.key])), append(seen.places, place)}
		if len(seen.digests) == batchRecords || len(seen.digests) >= left {
			err = move()
		}
		return left > 0, err
	})
	if err == nil && left > 0 {
		if err = move(); err == nil && left > 0 {
			err = fmt.Errorf("%w: the index points to %d records that are not in the log", ErrCorrupt, left)
		}
	}
	return err
}

// checkpointIfDue makes a checkpoint if more was written since the last one than it costs several times over.
func (s *Store) checkpointIfDue() error {
	since := int64(0)
	for _, g := range s.log.order {
		if since += g.written; g.id == s.kept.Segment {
			since = g.written - s.kept.At
		}
	}
	if since < 4*int64(s.index.SizeBytes()) {
		return nil
	}
	return s.checkpoint()
}

// Checkpoint stores the index, so that the next [Open] reads only what is put from now on. It makes all records
// survive. The store makes checkpoints by itself, so that Open reads no more than a segment and four times the index,
// and when it is closed.
func (s *Store) Checkpoint() error {
	defer s.alone()()
	if err := s.usable(); err != nil {
		return err
	}
	return s.checkpoint()
}

func (s *Store) checkpoint() error {
	if err := s.settle(); err != nil {
		return err
	}
	m := s.manifestOf(s.log, s.counts)
	if m.Index == s.kept.Index && m.Segment == s.kept.Segment && m.At == s.kept.At {
		return nil
	}
	return s.store(m, s.index)
}

// manifestOf returns the manifest of a checkpoint at the end of a log.
func (s *Store) manifestOf(l *log, c counts) manifest {
	return manifest{
		Store: l.number, Segments: sealedOf(l.order), Index: fmt.Sprintf("%d-%d%s", s.sequence.Load(), l.active().id,
			indexSuffix),
		Segment: l.active().id, At: l.active().written, Sequence: s.sequence.Load(), Counts: c,
	}
}

// store writes an index and puts a manifest in force that names it, and removes the index of the last one.
func (s *Store) store(m manifest, x *index) error {
	if err := replaceFile(s.dir, m.Index, func(w io.Writer) error {
		_, err := x.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	last := s.kept.Index
	if err := s.commit(m); err != nil {
		if s.failed == nil {
			err = errors.Join(err, s.dir.remove(m.Index))
		}
		return err
	}
	if last != "" && last != m.Index {
		s.dir.remove(last) // if it cannot, the next Open does
	}
	return nil
}

// loadIndex returns the index of a checkpoint.
func loadIndex(dir files, m *manifest) (*index, error) {
	f, err := dir.open(m.Index)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	size, err := f.size()
	if err != nil {
		return nil, err
	}
	x := new(index)
	n, err := x.ReadFrom(io.NewSectionReader(f, 0, size))
	if err == nil && n != size {
		err = fmt.Errorf("%w: %d bytes follow the index", ErrCorrupt, size-n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Index, err)
	}
	if got, want := x.Config().ValueBits, segmentBits+offsetBits; got != want ||
		x.Len() != m.Counts.Keys+m.Counts.Deleted {
		return nil, fmt.Errorf("%s: %w: %d places of %d bits, want %d of %d", m.Index, ErrCorrupt, x.Len(), got,
			m.Counts.Keys+m.Counts.Deleted, want)
	}
	return x, nil
}
