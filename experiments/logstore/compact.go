package logstore

import (
	"errors"
	"fmt"
)

// Compact writes the live records to a new log, without the records of deleted keys, and removes the old one. From then
// on Get says [ErrNotFound] of those. It needs room for the live records beside the log. Lookups go on meanwhile,
// changes wait. After an error the store is as it was.
func (s *Store) Compact() error { return s.alone(false, s.compact) }

func (s *Store) compact() error {
	if err := s.log.settle(); err != nil {
		return err
	}
	to := &Store{dir: s.dir, hash: s.hash}
	to.log = &log{dir: s.dir, number: s.log.number, full: s.log.full, mu: &to.mu, beside: s.log,
		begin: func(*segment) error { return nil }}
	err := s.copyLive(to)
	if err == nil {
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
	s.log.mu, s.log.beside, s.log.begin = &s.mu, nil, s.begin
	s.mu.Unlock()
	from.drop() // what it cannot remove the next Open does
	return nil
}

// drop closes and removes the files of a log.
func (l *log) drop() (err error) {
	err = l.close()
	for _, g := range l.order {
		err = errors.Join(err, l.dir.remove(g.name))
	}
	return err
}

// copyLive adds the live records to a store that has nothing yet.
func (s *Store) copyLive(to *Store) (err error) {
	if to.index, err = newIndex(s.counts.Keys); err != nil {
		return err
	}
	if err := to.log.rotate(); err != nil {
		return err
	}
	for r, err := range s.log.records(true) {
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

// Check reads the whole log and the files of the last checkpoint. It returns an error for everything that is wrong,
// [ErrCorrupt] each: a checksum that does not fit, records that the index does not have, and places in the index at
// which no record is.
func (s *Store) Check() error { return s.alone(true, s.check) }

func (s *Store) check() error {
	if err := s.log.settle(); err != nil {
		return err
	}
	var wrong []error
	found, bytes := 0, int64(0)
	for _, g := range s.log.order { // each by itself, so that the next is read where one is damaged
		for r, err := range g.records(0, true) {
			if err != nil {
				wrong = append(wrong, err)
			} else if s.holds(&r) {
				found, bytes = found+1, bytes+r.size()
			}
		}
	}
	known := s.counts.Keys + s.counts.Deleted
	if differ := found != s.index.Len() || found != known || bytes != s.counts.LiveBytes; differ && len(wrong) == 0 {
		wrong = append(wrong, fmt.Errorf("%w: %d records of %d bytes are live, the index has %d, and the counts are %d and "+
			"%d bytes", ErrCorrupt, found, bytes, s.index.Len(), known, s.counts.LiveBytes))
	} // what follows a damaged record was not counted
	_, err := readManifest(s.dir)
	if wrong = append(wrong, err); s.kept.Index != "" {
		_, err := loadIndex(s.dir, &s.kept)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}
