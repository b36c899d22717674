package logstore

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/cuckoo/maplet"
)

// Compact writes the live records to a new log, without the records of deleted keys, and removes the old one. From then
// on Get says [ErrNotFound] of those. It needs room for the live records beside the log. Lookups go on meanwhile,
// changes wait. After an error the store is as it was.
func (s *Store) Compact() (err error) {
	defer s.alone()()
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	to := &log{dir: s.dir, number: s.log.number}
	x, c, err := s.copyLive(to, s.counts.Keys)
	for keys := s.counts.Keys; errors.Is(err, maplet.ErrFull); { // of so many buckets it is less likely each time
		if err = to.drop(); err == nil {
			keys += keys/4 + 1
			to = &log{dir: s.dir, number: s.log.number}
			x, c, err = s.copyLive(to, keys)
		}
	}
	if err == nil {
		err = s.store(s.manifestOf(to, c), x)
	}
	if err != nil {
		if s.failed == nil { // else nobody knows which log is in force
			err = errors.Join(err, to.drop())
		}
		return err
	}
	s.mu.Lock()
	from := s.log
	s.log, s.index, s.counts = to, x, c
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

// copyLive appends the live records to an empty log, and returns the index of it, which has room for so many keys.
func (s *Store) copyLive(to *log, keys int) (x *index, c counts, err error) {
	if x, err = newIndex(keys); err != nil {
		return nil, c, err
	}
	if err := to.next(s.log, s.segment); err != nil {
		return nil, c, err
	}
	err = s.log.each(true, func(h head, b []byte, place uint64) (bool, error) {
		key, value := h.parts(b)
		digest := s.hash.Sum64(key)
		if h.kind != putKind || !holds(s.index, digest, place) {
			return true, nil
		}
		if err := to.next(s.log, s.segment); err != nil {
			return false, err
		}
		if err := x.InsertHash(digest, placeOf(to.active().id, to.end())); err != nil {
			return false, err
		}
		c.move(head{}, h)
		to.buf = appendRecord(to.buf, to.start(), putKind, key, value, h.sequence, to.synced)
		return true, nil
	})
	if err == nil {
		err = to.seal()
	}
	if err == nil && c.Keys != s.counts.Keys {
		err = fmt.Errorf("%w: %d live records, want %d", ErrCorrupt, c.Keys, s.counts.Keys)
	}
	return x, c, err
}

// next sees to it that the log, which nobody reads yet, has room for a record. Numbers of the other log's segments are
// taken.
func (l *log) next(other *log, full int64) error {
	if len(l.order) > 0 && l.end() < full {
		if len(l.buf) < bufferBytes {
			return nil
		}
		err := l.write()
		if err == nil {
			l.wrote()
		}
		return err
	}
	if len(l.order) > 0 {
		if err := l.seal(); err != nil {
			return err
		}
	}
	id, err := free(l, other)
	if err != nil {
		return err
	}
	g, err := createSegment(l.dir, id, l.number)
	if err == nil {
		l.push(g)
	}
	return err
}

// seal writes the records in memory and has them survive.
func (l *log) seal() error {
	if err := l.write(); err != nil {
		return err
	}
	l.wrote()
	if err := l.active().sync(); err != nil {
		return err
	}
	l.synced = l.active().written
	return nil
}

// Check reads the whole log and the files of the last checkpoint. It returns an error for everything that is wrong,
// [ErrCorrupt] each: a checksum that does not fit, records that the index does not have, and places in the index at
// which no record is.
func (s *Store) Check() error {
	defer s.alone()()
	if err := s.readable(); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	var wrong []error
	found, bytes := 0, int64(0)
	for _, g := range s.log.order { // each by itself, so that the next is read where one is damaged
		one := log{order: []*segment{g}}
		wrong = append(wrong, one.each(true, func(h head, b []byte, place uint64) (bool, error) {
			key, _ := h.parts(b)
			if holds(s.index, s.hash.Sum64(key), place) {
				found, bytes = found+1, bytes+h.size()
			}
			return true, nil
		}))
	}
	differ := found != s.index.Len() || found != s.counts.Keys+s.counts.Deleted || bytes != s.counts.LiveBytes
	if differ && errors.Join(wrong...) == nil { // what follows a damaged record was not counted
		wrong = append(wrong, fmt.Errorf("%w: %d records of %d bytes are live, the index has %d, and the counts are %d and "+
			"%d bytes",
			ErrCorrupt, found, bytes, s.index.Len(), s.counts.Keys+s.counts.Deleted, s.counts.LiveBytes))
	}
	b, err := readFile(s.dir, manifestName)
	if err == nil {
		_, err = parseManifest(b)
	}
	wrong = append(wrong, err)
	if s.kept.Index != "" {
		_, err := loadIndex(s.dir, &s.kept)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}
