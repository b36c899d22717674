package logstore

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Compact writes the live records to a new log, without the records of deleted keys, and removes the old one. From then
// on Get says [ErrNotFound] of those. It needs room for the live records beside the log. Lookups go on meanwhile,
// changes wait. After an error the store is as it was.
func (s *Store) Compact() error { return s.alone(false, s.compact) }

func (s *Store) compact() error {
	to := &Store{dir: s.dir, hash: s.hash}
	err := s.log.settle()
	if err == nil {
		to.log, err = openLog(s.dir, s.log.number+1, rand.Uint32()|1, &to.mu, anew)
	}
	if err != nil {
		return err
	}
	if err = s.copyLive(to); err == nil {
		err = s.checkpoint(to)
	}
	if err != nil {
		if s.dir.lost == nil { // else nobody knows which log is in force
			err = errors.Join(err, to.log.drop())
		}
		return err
	}
	s.mu.Lock()
	from := s.log
	s.log, s.index, s.counts = to.log, to.index, to.counts
	s.log.mu = &s.mu
	s.mu.Unlock()
	from.drop() // what it cannot remove the next Open does
	return nil
}

// copyLive adds the live records to a store that has nothing yet.
func (s *Store) copyLive(to *Store) (err error) {
	if to.index, err = newIndex(s.counts.Keys); err != nil {
		return err
	}
	for r, err := range s.log.records(0, true) {
		if err == nil && r.kind == putKind && s.holds(&r) {
			err = to.add(s.hash.Sum64(r.key), record{}, r, false)
		}
		if err != nil {
			return err
		}
	}
	if to.counts.Keys != s.counts.Keys {
		return fmt.Errorf("%w: %d live records, want %d", ErrCorrupt, to.counts.Keys, s.counts.Keys)
	}
	return nil
}

// Check reads the log up to the first damage, and the last checkpoint. It returns an error for everything that is
// wrong, [ErrCorrupt] each: a checksum that does not fit, records that the index does not have, and places in the index
// at which no record is.
func (s *Store) Check() error { return s.alone(true, s.check) }

func (s *Store) check() error {
	if err := s.log.settle(); err != nil {
		return err
	}
	var wrong []error
	found, bytes := 0, int64(0)
	for r, err := range s.log.records(0, true) {
		if err != nil {
			wrong = append(wrong, err)
		} else if s.holds(&r) {
			found, bytes = found+1, bytes+r.size()
		}
	}
	if differ := found != s.index.Len() || bytes != s.counts.LiveBytes; differ && len(wrong) == 0 { // else it was not all
		wrong = append(wrong, fmt.Errorf("%w: %d records of %d bytes are live, the index has %d, of %d bytes", ErrCorrupt,
			found, bytes, s.index.Len(), s.counts.LiveBytes))
	}
	_, _, damaged, err := s.dir.load()
	if s.kept == (manifest{}) { // it was damaged when the store was opened, and was not stored since
		damaged = nil
	}
	return errors.Join(append(wrong, damaged, err)...)
}
