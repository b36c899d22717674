package logstore

import (
	"errors"
	"fmt"

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
	return maplet.New[fingerprint.Bits12](maplet.Config{Capacity: max(keys, minKeys), ValueBits: placeBits})
}

// holds tells whether the index gives the place of a record.
func (s *Store) holds(r *record) bool {
	for found := range s.index.LookupHash(s.hash.Sum64(r.key)) {
		if found == r.place {
			return true
		}
	}
	return false
}

// grow makes the index larger. It reads the keys of the log: those records are in it to which the old one points.
func (s *Store) grow() error {
	if err := s.log.flush(); err != nil {
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

// refill puts into an index all that is in the present one.
func (s *Store) refill(grown *index) error {
	left := s.index.Len()
	for r, err := range s.log.records(0, false) {
		if err == nil && s.holds(&r) {
			left--
			err = grown.InsertHash(s.hash.Sum64(r.key), r.place)
		}
		if err != nil || left == 0 {
			return err
		}
	}
	return fmt.Errorf("%w: the index points to %d records that are not in the log", ErrCorrupt, left)
}
