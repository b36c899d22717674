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
	"strings"

	"github.com/nestfilter/nest/hashing"
)

// DefaultSegmentBytes is the size from which on a segment is full.
const DefaultSegmentBytes = 64 << 20

// Options say how a store is opened.
type Options struct {
	// Create makes a store where the folder does not exist or is empty.
	Create bool
	// Keys is how many keys the index of a new store has room for before it grows. The default is 1000.
	Keys int
	// SegmentBytes is the size from which on a segment is full, up to 64 MiB, which is the default. A record begins in a
	// segment that is not full, and may end behind that size.
	SegmentBytes int64
	// ReadOnly opens a store that nothing is written to, and needs no permission to write. Any number of processes may
	// have it open so, and none that changes it meanwhile. A torn tail, or a damaged index, stays as it is, and each Open
	// reads the log anew for it. Changes return [ErrReadOnly]; Create is not looked at.
	ReadOnly bool
	// Context ends, if it is not nil, what reads the store: Open, lookups, Check, Compact, Export, and growth of the
	// index. They return its error before the next read. Close writes as ever.
	Context context.Context
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

// Open opens the store in a folder. The errors are [ErrNoStore], also for a folder that has files of others and is to
// become a store, [ErrLocked], [ErrVersion], and [ErrCorrupt]. It has changed nothing then.
func Open(dir string, o Options) (*Store, error) {
	if o.SegmentBytes < 0 || o.SegmentBytes > DefaultSegmentBytes || o.Keys < 0 {
		return nil, fmt.Errorf("%w: segments of %d bytes and room for %d keys, want 0 to %d, and at least 0", ErrSize,
			o.SegmentBytes, o.Keys, DefaultSegmentBytes)
	}
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
		if err := makeFolder(dir, func(above string) error { return osFiles(above).sync() }); err != nil {
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
	if o.Context != nil {
		from = ended{from, o.Context}
	}
	s, err := openIn(from, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), release())
	}
	s.release = release
	return s, nil
}

// makeFolder makes a folder and those above it, and has sync make each of their names survive. It tries each of them
// twice at most: there are folders in which none can be made though they are there, as a working folder that was
// removed.
func makeFolder(dir string, sync func(above string) error) error {
	above := filepath.Dir(dir)
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, os.ErrNotExist) && above != dir {
		if err := makeFolder(above, sync); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o777)
	}
	if err == nil {
		return sync(above)
	}
	if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
		return err
	}
	return nil
}

// ours matches the files that a store makes.
var ours = regexp.MustCompile(`^([0-9]{4}\.log|[0-9]+-[0-9]+\.index|MANIFEST(\.new)?|LOCK)$`)

// onlyOurs returns an error if a folder that is no store has files of others, or records.
func onlyOurs(dir files) error {
	names, err := dir.names()
	if err != nil {
		return err
	}
	if slices.Contains(names, manifestName) {
		return nil
	}
	for _, name := range names {
		begun := name == segmentName(0) && isBegun(dir, name)
		if !begun && name != lockName && name != manifestName+newSuffix {
			return fmt.Errorf("%w, and not empty: it has %s", ErrNoStore, name)
		}
	}
	return nil
}

// isBegun tells whether a file is a segment without records, as a store has that was not completed.
func isBegun(dir files, name string) bool {
	b, err := readFile(dir, name)
	return err == nil && len(b) <= segmentHead && strings.HasPrefix(string(b)+segmentMagic[min(len(b),
		len(segmentMagic)):], segmentMagic)
}

// openIn opens the store in a folder of which nobody else has one.
func openIn(dir files, o Options) (*Store, error) {
	s := &Store{dir: dir, segment: o.SegmentBytes, hash: hashing.NewDigester(hashing.XXH64(0)),
		release: func() error { return nil }}
	if s.segment == 0 {
		s.segment = DefaultSegmentBytes
	}
	names, err := dir.names()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, manifestName) {
		if o.ReadOnly {
			return nil, ErrNoStore
		}
		return s, s.create(o)
	}
	b, err := readFile(dir, manifestName)
	if err != nil {
		return nil, err
	}
	if s.kept, err = parseManifest(b); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		s.failed = ErrReadOnly
	} else if err := dir.sync(); err != nil { // whoever made it may have been killed before
		return nil, err
	}
	if err := s.recover(o); err != nil {
		if s.log != nil {
			err = errors.Join(err, s.log.close())
		}
		return nil, err
	}
	if o.ReadOnly {
		return s, nil
	}
	for _, name := range names { // of a change that was not completed
		if ours.MatchString(name) && name != manifestName && name != lockName && name != s.kept.Index && !s.hasSegment(name) {
			if err := dir.remove(name); err != nil {
				return nil, errors.Join(err, s.log.close())
			}
		}
	}
	return s, nil
}

// hasSegment tells whether the log has a segment with that file.
func (s *Store) hasSegment(name string) bool {
	return slices.ContainsFunc(s.log.order, func(g *segment) bool { return g.name == name })
}

// create makes the files of an empty store.
func (s *Store) create(o Options) (err error) {
	if s.index, err = newIndex(o.Keys); err != nil {
		return err
	}
	s.log = &log{dir: s.dir, number: rand.Uint64()}
	first, err := createSegment(s.dir, 0, s.log.number)
	if err != nil {
		return err
	}
	s.log.push(first)
	m := s.manifestOf(s.log, counts{})
	m.Index = ""
	if err := s.commit(m); err != nil {
		err = errors.Join(err, s.log.close())
		if s.failed == nil { // else the manifest may have it
			err = errors.Join(err, s.dir.remove(first.name))
		}
		return err
	}
	return nil
}

// recover opens the log of the manifest, loads the index of the checkpoint and adds what was put since.
func (s *Store) recover(o Options) error {
	m := &s.kept
	s.log = &log{dir: s.dir, number: m.Store}
	from := -1
	for n, sealed := range m.Segments {
		g, err := openSegment(s.dir, sealed.ID, m.Store)
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
		if sealed.ID == m.Segment {
			from = n
		}
	}
	if from < 0 || m.At < segmentHead || m.At > s.log.order[from].written {
		return fmt.Errorf("%s: %w: the checkpoint ends at byte %d of segment %d", manifestName, ErrCorrupt, m.At, m.Segment)
	}
	at, err := m.At, error(nil)
	if m.Index != "" {
		if s.index, err = loadIndex(s.dir, m); err != nil {
			s.recovered.Index = err
			m.Index = "" // so that Close stores another one
		}
		s.counts = m.Counts
	}
	if s.index == nil {
		from, at, s.counts = 0, segmentHead, counts{}
		if s.index, err = newIndex(max(o.Keys, m.Counts.Keys+m.Counts.Deleted)); err != nil {
			return err
		}
	}
	s.sequence.Store(m.Sequence)
	for n, g := range s.log.order[from:] {
		if n > 0 {
			at = segmentHead
		}
		if err := s.replay(g, at); err != nil {
			return err
		}
	}
	if !o.ReadOnly {
		if err := s.log.active().harden(m.Segments[len(m.Segments)-1].Bytes); err != nil {
			return err
		}
	}
	s.log.synced = s.log.active().written
	s.durable.Store(s.sequence.Load())
	return nil
}

// harden makes the bytes from one on survive, of which nobody knows whether they were synced. They are written once
// more, since a system whose fsync failed may have kept in memory what is not on the disk.
func (s *segment) harden(from int64) error {
	if from == s.written {
		return nil
	}
	b := make([]byte, min(scanBytes, s.written-from))
	for at := from; at < s.written; at += int64(len(b)) {
		b = b[:min(int64(len(b)), s.written-at)]
		if _, err := s.file.ReadAt(b, at); err != nil {
			return s.wrap(at, err)
		}
		if _, err := s.file.WriteAt(b, at); err != nil {
			return s.wrap(at, err)
		}
	}
	return s.sync()
}

// replay adds the records of a segment from a byte on.
func (s *Store) replay(g *segment, from int64) error {
	for c := g.scan(from, g.written); ; s.recovered.Records++ {
		h, b, at, err := c.next(true)
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, ErrCorrupt) && g == s.log.active() {
			return s.cut(g, at, err)
		}
		if err != nil {
			return err
		}
		key, _ := h.parts(b)
		digest := s.hash.Sum64(key)
		old, was, _, known, err := s.find(key, digest, s.own[:])
		if err == nil && (!known || was.sequence < h.sequence) {
			err = s.point(digest, old, known, placeOf(g.id, at), func() { s.counts.move(was, h) })
		}
		if err != nil {
			return err
		}
		s.sequence.Store(max(s.sequence.Load(), h.sequence))
	}
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
	if s.failed != ErrReadOnly {
		if err := g.file.Truncate(at); err != nil {
			return err
		}
		if err := g.sync(); err != nil {
			return err
		}
	}
	s.recovered.Cut, s.recovered.File, s.recovered.At = g.written-at, g.name, at
	g.written = at
	return nil
}

// Recovered returns what [Open] did about what it found.
func (s *Store) Recovered() Recovery { return s.recovered }

// Close makes all records survive, stores the index and closes the files. The store takes nothing more. If that fails
// the error says why, and the records that were synced are there.
func (s *Store) Close() error {
	defer s.alone()()
	if s.index == nil {
		return nil
	}
	err := s.failed
	switch err {
	case nil:
		err = s.checkpoint()
	case ErrReadOnly:
		err = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = nil
	return errors.Join(err, s.log.close(), s.release())
}
