package logstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

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
	// full is the size in bytes from which on a segment is full, for tests; 0 is 64 MiB. A record begins in a segment
	// that is not full, and may end behind that size.
	full int64
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
func Open(dir string, o Options) (*Store, error) {
	if dir == "" {
		return nil, fmt.Errorf("%q: %w: the name of the folder is empty", dir, ErrNoStore)
	}
	_, err := os.Stat(filepath.Join(dir, manifestName))
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: %w", dir, ErrNoStore, err)
	case err != nil && (!o.Create || o.ReadOnly):
		return nil, fmt.Errorf("%s: %w", dir, ErrNoStore)
	case err != nil:
		if err := makeFolder(dir, func(above string) error { return (&folder{files: osFiles(above)}).sync() }); err != nil {
			return nil, err
		}
	}
	if err := onlyOurs(osFiles(dir)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	release, err := lock(dir, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	var from files = osFiles(dir)
	if o.ReadOnly {
		from = readOnly{osFiles(dir)}
	}
	s, err := openIn(from, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), release())
	}
	s.release = release
	return s, nil
}

// makeFolder makes a folder and those above it, and has sync make each of their names survive.
func makeFolder(dir string, sync func(above string) error) error {
	var above []string
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		above = append(above, filepath.Dir(d))
	}
	err := os.MkdirAll(dir, 0o777)
	for _, d := range above {
		if err == nil {
			err = sync(d)
		}
	}
	return err
}

// ours matches the files that a store makes.
var ours = regexp.MustCompile(`^([0-9]{4}\.log|([0-9]+-[0-9]+\.index|MANIFEST)(\.new)?|LOCK)$`)

// onlyOurs returns an error if a folder that is no store has files of others, or records.
func onlyOurs(dir osFiles) error {
	names, err := dir.names()
	if err != nil || slices.Contains(names, manifestName) {
		return err
	}
	for _, name := range names {
		info, err := os.Stat(dir.path(name))
		begun := name == segmentName(0) && err == nil && info.Size() == 0 // as in a store that was not completed
		if !begun && name != lockName && name != manifestName+newSuffix {
			return fmt.Errorf("%w, and not empty: it has %s", ErrNoStore, name)
		}
	}
	return nil
}

// openIn opens the store in a folder of which nobody else has one.
func openIn(dir files, o Options) (*Store, error) {
	s := &Store{dir: &folder{files: dir, ctx: o.Context}, hash: hashing.NewDigester(hashing.XXH64(0)),
		release: func() error { return nil }, memory: sync.Pool{New: func() any { return new([probeBytes]byte) }}}
	s.log = &log{dir: s.dir, number: rand.Uint64(), full: o.full, mu: &s.mu, begin: s.begin}
	if o.full == 0 {
		s.log.full = 64 << 20
	}
	names, err := dir.names()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, manifestName) {
		if o.ReadOnly {
			return nil, ErrNoStore
		}
		if s.index, err = newIndex(0); err == nil {
			err = s.log.rotate()
		}
		return s, err
	}
	if s.kept, err = readManifest(s.dir); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		s.dir.lost = ErrReadOnly
	} else if err := s.dir.sync(); err != nil { // whoever made it may have been killed before
		return nil, err
	}
	if err := s.recover(); err != nil {
		return nil, errors.Join(err, s.log.close())
	}
	if o.ReadOnly {
		return s, nil
	}
	inUse := []string{manifestName, lockName, s.kept.Index}
	for _, g := range s.log.order {
		inUse = append(inUse, g.name)
	}
	for _, name := range names { // of a change that was not completed
		if ours.MatchString(name) && !slices.Contains(inUse, name) {
			if err := dir.remove(name); err != nil {
				return nil, errors.Join(err, s.log.close())
			}
		}
	}
	return s, nil
}

// recover opens the log of the manifest, loads the index of the checkpoint and adds what was put since.
func (s *Store) recover() (err error) {
	m := &s.kept
	s.log.number = m.Store
	for n, sealed := range m.Segments {
		g, err := openSegment(s.dir, sealed.ID, m.Store, asItIs)
		if err != nil {
			return err
		}
		if s.log.byID[sealed.ID] != nil {
			return errors.Join(fmt.Errorf("%w: segment %d comes twice", ErrCorrupt, sealed.ID), g.file.Close())
		}
		s.log.push(g)
		if last := n == len(m.Segments)-1; g.written < sealed.Bytes || !last && g.written > sealed.Bytes {
			return g.wrap(g.written, fmt.Errorf("%w: the segment ends here, and should at %d", ErrCorrupt, sealed.Bytes))
		}
	}
	from, at := slices.IndexFunc(m.Segments, func(g sealed) bool { return g.ID == m.Segment }), m.At
	if from < 0 || at < 0 || at > s.log.order[from].written {
		return fmt.Errorf("%s: %w: the checkpoint ends at byte %d of segment %d", manifestName, ErrCorrupt, at, m.Segment)
	}
	if m.Index != "" {
		if s.index, s.recovered.Index = loadIndex(s.dir, m); s.recovered.Index != nil {
			m.Index = "" // so that Close stores another one
		}
		s.counts = m.Counts
	}
	if s.index == nil {
		from, at, s.counts = 0, 0, counts{}
		if s.index, err = newIndex(m.Counts.Keys + m.Counts.Deleted); err != nil {
			return err
		}
	}
	s.sequence = m.Sequence
	for _, g := range s.log.order[from:] {
		if err := s.replay(g, at); err != nil {
			return err
		}
		at = 0
	}
	a, known := s.log.active(), m.Segments[len(m.Segments)-1].Bytes
	if s.dir.lost == nil && a.written > known { // nobody knows whether the rest was synced
		if err := a.rewrite(known); err != nil {
			return a.wrap(known, err)
		}
	}
	s.log.synced = a.written
	return nil
}

// rewrite makes the bytes from one on survive. It writes them once more: a system whose fsync failed may have kept in
// memory what is not on the disk.
func (s *segment) rewrite(from int64) error {
	_, err := io.Copy(io.NewOffsetWriter(s.file, from), io.NewSectionReader(s.file, from, s.written-from))
	if err == nil {
		err = s.file.Sync()
	}
	return err
}

// replay adds the records of a segment from a byte on.
func (s *Store) replay(g *segment, from int64) error {
	for r, err := range g.records(from, true) {
		if errors.Is(err, ErrCorrupt) && g == s.log.active() {
			_, at := partsOf(r.place)
			return s.cut(g, at, err)
		}
		if err != nil {
			return err
		}
		digest := s.hash.Sum64(r.key)
		was, err := s.find(r.key, digest, s.own[:])
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

// cut cuts the active segment off at a byte where no whole record begins, unless bytes behind that were synced once,
// when why is returned: the manifest or a later record says so.
func (s *Store) cut(g *segment, at int64, why error) error {
	if at < s.kept.Segments[len(s.kept.Segments)-1].Bytes {
		return why
	}
	rest := make([]byte, g.written-at)
	if _, err := g.file.ReadAt(rest, at); err != nil {
		return err
	}
	for next := unit; next+headBytes <= len(rest); next += unit {
		h, err := parseHead(rest[next:])
		if err == nil && h.synced > at && h.size() <= int64(len(rest)-next) && h.verify(rest[next:],
			g.start(at+int64(next))) == nil {
			return why
		}
	}
	if s.dir.lost != ErrReadOnly {
		if err := errors.Join(g.file.Truncate(at), g.file.Sync()); err != nil {
			return err
		}
	}
	s.recovered.Cut, s.recovered.File, s.recovered.At = g.written-at, g.name, at
	g.written = at
	return nil
}
