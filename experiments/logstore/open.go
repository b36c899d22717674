package logstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// Options say how a store is opened.
type Options struct {
	// Create makes a store where the folder does not exist or is empty.
	Create bool
	// ReadOnly opens a store that nothing is written to, and needs no permission to write. Any number of processes may
	// have it open so, and none that changes it meanwhile. A torn tail, or a damaged index, stays as it is, and each Open
	// reads the log anew for it. Changes return [ErrReadOnly]; Create is not looked at.
	ReadOnly bool
	// Context ends, if it is not nil, what reads the store: Open, lookups, Check, Compact, Export, and growth of the
	// index. They return its error before the next read. Close writes as ever.
	Context context.Context
	// every is after how many bytes of log the store makes a checkpoint, for tests; 0 is 64 MiB or more.
	every int64
}

// Recovery says what [Open] did about what it found.
type Recovery struct {
	// Records is how many records it read that the checkpoint does not have.
	Records int
	// Cut is how many bytes at the end of the log were no whole record, and were cut off unless the store is read only,
	// and File and At where.
	Cut  int64
	File string
	At   int64
	// Index is why the index was made anew from the whole log, nil if it was not.
	Index error
}

// Recovered returns what [Open] did about what it found.
func (s *Store) Recovered() Recovery { return s.recovered }

// Open opens the store in a folder. The errors are [ErrNoStore], also for a folder that has files of others and is to
// become a store, [ErrLocked], [ErrVersion], and [ErrCorrupt]. It has changed nothing then.
func Open(dir string, o Options) (s *Store, err error) {
	defer func() {
		if err != nil {
			s, err = nil, fmt.Errorf("%s: %w", dir, err)
		}
	}()
	if dir == "" {
		return nil, fmt.Errorf("%w: the name of the folder is empty", ErrNoStore)
	}
	_, err = os.Stat(filepath.Join(dir, indexName))
	switch missing := errors.Is(err, os.ErrNotExist); {
	case err != nil && !missing:
		return nil, fmt.Errorf("%w: %w", ErrNoStore, err)
	case missing && (!o.Create || o.ReadOnly):
		return nil, ErrNoStore
	case missing:
		err := makeFolder(dir, func(above string) error { return (&folder{files: osFiles(above)}).sync() })
		if err == nil {
			err = onlyOurs(osFiles(dir))
		}
		if err != nil {
			return nil, err
		}
	}
	release, err := lock(dir, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	if s, err = openIn(osFiles(dir), o); err != nil {
		return nil, errors.Join(err, release())
	}
	s.release = release
	return s, nil
}

// makeFolder makes a folder and those above it, and has sync make each of their names survive.
func makeFolder(dir string, sync func(above string) error) error {
	above := filepath.Dir(dir)
	if _, err := os.Stat(dir); err == nil || above == dir {
		return err
	}
	err := makeFolder(above, sync)
	if err == nil {
		err = os.Mkdir(dir, 0o777)
	}
	if err == nil || errors.Is(err, os.ErrExist) {
		err = sync(above)
	}
	return err
}

// ours matches the files that a store makes.
var ours = regexp.MustCompile(`^([0-9]{4,}\.log|store\.index(\.new)?|LOCK)$`)

// onlyOurs returns an error if a folder that is no store has files of others, or records.
func onlyOurs(dir osFiles) error {
	names, err := dir.names()
	if err != nil || slices.Contains(names, indexName) {
		return err
	}
	for _, name := range names {
		info, err := os.Stat(dir.path(name))
		begun := name == indexName+newSuffix || err == nil && info.Size() == 0 // as in a store that was not completed
		if !begun || !ours.MatchString(name) {
			return fmt.Errorf("%w, and not empty: it has %s", ErrNoStore, name)
		}
	}
	return nil
}

// openIn opens the store in a folder of which nobody else has one.
func openIn(dir files, o Options) (*Store, error) {
	s := &Store{dir: &folder{files: dir, ctx: o.Context}, hash: hashing.NewDigester(hashing.XXH64(0)), every: o.every,
		release: func() error { return nil }}
	if o.ReadOnly {
		s.dir.lost = ErrReadOnly
	}
	names, err := dir.names()
	switch {
	case err != nil:
	case !slices.Contains(names, indexName):
		err = s.begin()
	default:
		err = s.recover()
	}
	for _, name := range names { // of a change that was not completed
		if err == nil && !o.ReadOnly && ours.MatchString(name) && !slices.Contains([]string{indexName, lockName, s.log.name},
			name) {
			err = dir.remove(name)
		}
	}
	if err != nil && s.log != nil {
		err = errors.Join(err, s.log.file.Close())
	}
	return s, err
}

// begin makes a store that is empty.
func (s *Store) begin() (err error) {
	if s.log, err = openLog(s.dir, 0, rand.Uint32()|1, &s.mu, anew); err != nil {
		return err
	}
	if s.index, err = newIndex(0); err != nil {
		return err
	}
	return s.checkpoint(s)
}

// recover loads the last checkpoint and adds what was put since.
func (s *Store) recover() error {
	m, x, damaged, err := s.dir.load()
	if err != nil {
		return err
	}
	toRead := s.dir.lost != nil
	if !toRead {
		if err := s.dir.sync(); err != nil { // whoever made it may have been killed before
			return err
		}
	}
	if s.log, err = openLog(s.dir, m.Log, m.Salt, &s.mu, asItIs); err != nil {
		return err
	}
	if s.log.written < m.At {
		return s.log.wrap(s.log.written, fmt.Errorf("%w: the log ends here, and should at %d", ErrCorrupt, m.At))
	}
	s.kept, s.index, s.counts, s.sequence, s.recovered.Index = m, x, m.Counts, m.Sequence, damaged
	from := m.At
	if damaged != nil { // nothing is kept, so that Close stores another one
		s.kept, s.counts, from = manifest{}, Counts{}, 0
		if s.index, err = newIndex(m.Counts.Keys + m.Counts.Deleted); err != nil {
			return err
		}
	}
	if err := s.replay(from, m.At); err != nil {
		return err
	}
	if !toRead && s.log.written > m.At { // nobody knows whether the rest was synced
		if err := s.log.rewrite(m.At); err != nil {
			return err
		}
	}
	s.log.synced = s.log.written
	return nil
}

// replay adds the records from a byte on, of which those before another one are known to survive.
func (s *Store) replay(from, known int64) error {
	for r, err := range s.log.records(from, true) {
		if at := int64(r.place) * unit; errors.Is(err, ErrCorrupt) && at >= known {
			return s.cut(at, err)
		}
		if err != nil {
			return err
		}
		digest := s.hash.Sum64(r.key)
		was, err := s.find(r.key, digest)
		if err == nil && (was.kind == 0 || was.sequence < r.sequence) {
			err = s.point(digest, was, r)
		}
		if err != nil {
			return err
		}
		s.sequence = max(s.sequence, r.sequence)
		s.recovered.Records++
	}
	return nil
}

// cut cuts the log off at a byte where no whole record begins, unless a later record says that bytes behind that were
// synced once, when why is returned.
func (s *Store) cut(at int64, why error) error {
	l := s.log
	for c := l.scan(at + unit); c.end-c.at >= headBytes; c.at += unit {
		b, err := c.bytes(headBytes)
		if err != nil {
			return err
		}
		h, err := parseHead(b)
		if size := h.size(); err == nil && h.synced > at && size <= c.end-c.at {
			if b, err = c.bytes(size); err != nil {
				return err
			}
			if h.verify(b, l.start(uint64(c.at/unit))) == nil {
				return why
			}
		}
	}
	s.recovered.Cut, s.recovered.File, s.recovered.At = l.written-at, l.name, at
	if s.dir.lost != ErrReadOnly {
		if err := errors.Join(l.file.Truncate(at), l.file.Sync()); err != nil {
			return err
		}
	}
	l.written = at
	return nil
}
