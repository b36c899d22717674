package logstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The files of a store beside its segments.
const (
	manifestName = "MANIFEST"
	lockName     = "LOCK"
	newSuffix    = ".new"
	indexSuffix  = ".index"
)

// manifest says what a store consists of. It is written anew, and put in place of the last one at once, whenever that
// changes.
type manifest struct {
	// Store is the number of the store, which its segments have too.
	Store uint64
	// Segments are the segments in order. All but the last have as many bytes as it says.
	Segments []sealed
	// Index is the file of the index as it was when the log ended at byte At of segment Segment, of which all records have
	// lower or equal sequences; "" if there is none.
	Index    string
	Segment  int
	At       int64
	Sequence uint64
	Counts   counts
}

// sealed is a segment in a manifest.
type sealed struct {
	ID    int
	Bytes int64
}

// sealedOf lists segments for a manifest.
func sealedOf(order []*segment) (all []sealed) {
	for _, g := range order {
		all = append(all, sealed{g.id, g.written})
	}
	return all
}

// counts is what is known of the records of a log without reading it.
type counts struct {
	// Keys have a value, Deleted a record that says that they have none. LiveBytes are those of the records of both.
	Keys, Deleted int
	LiveBytes     int64
}

// title is the first line of a manifest; the version follows.
const (
	title   = "nest log store, version "
	version = 2
)

// encode returns the bytes of a manifest: the title, a line of JSON and a checksum of both.
func (m *manifest) encode() []byte {
	line, _ := json.Marshal(m) // of numbers and strings, which cannot fail
	b := fmt.Appendf(nil, "%s%d\n%s\n", title, version, line)
	return fmt.Appendf(b, "%016x\n", xxhash.Sum64(b))
}

// readManifest returns the manifest in force, which it checks.
func readManifest(dir *folder) (m manifest, err error) {
	err = dir.read(manifestName, func(r *io.SectionReader) error {
		b, err := io.ReadAll(r)
		if err == nil {
			err = m.parse(b)
		}
		return err
	})
	if err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}

// parse reads what encode wrote.
func (m *manifest) parse(b []byte) error {
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	said, ok := strings.CutPrefix(string(first), title)
	line, sum, _ := bytes.Cut(rest, []byte("\n"))
	if !ok {
		return fmt.Errorf("%w: it begins with %.40q", ErrCorrupt, first)
	}
	if is := fmt.Sprintf("%016x\n", xxhash.Sum64(b[:len(b)-len(sum)])); string(sum) != is {
		return fmt.Errorf("%w: its checksum is %.20q, its bytes have %q", ErrCorrupt, sum, is)
	}
	if said != fmt.Sprint(version) {
		return fmt.Errorf("%w: version %.20s, want %d", ErrVersion, said, version)
	}
	err := json.Unmarshal(line, m)
	bad := slices.ContainsFunc(m.Segments, func(s sealed) bool { return s.ID < 0 || s.ID >= maxSegments })
	if err == nil && (bad || len(m.Segments) == 0 || len(m.Segments) > maxSegments) {
		err = fmt.Errorf("%d segments, want 1 to %d of numbers below that", len(m.Segments), maxSegments)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return nil
}

// commit puts a manifest in force.
func (s *Store) commit(m manifest) error {
	err := s.dir.replace(manifestName, func(w io.Writer) error {
		_, err := w.Write(m.encode())
		return err
	})
	if err == nil {
		s.kept = m
	}
	return err
}

// begin puts the manifest in force that has another segment. It makes a checkpoint before if more was written since the
// last one than it costs several times over. All records survive when the log calls it.
func (s *Store) begin(next *segment) error {
	since := int64(0)
	for _, g := range s.log.order {
		if since += g.written; g.id == s.kept.Segment {
			since = g.written - s.kept.At
		}
	}
	if since >= 4*int64(s.index.SizeBytes()) {
		if err := s.checkpoint(s); err != nil {
			return err
		}
	}
	m := s.kept
	m.Store, m.Segments = s.log.number, append(sealedOf(s.log.order), sealed{next.id, next.written})
	return s.commit(m)
}

// checkpoint makes all records of a log survive, stores its index and puts the manifest of both in force, so that the
// next [Open] reads only what is put from now on: the store's own, or those of one to become its. The store makes
// checkpoints by itself, so that Open reads no more than a segment and four times the index, and when it is closed.
func (s *Store) checkpoint(of *Store) error {
	if err := of.log.settle(); err != nil {
		return err
	}
	a, last := of.log.active(), s.kept.Index
	name := fmt.Sprintf("%d-%d%s", s.sequence, a.id, indexSuffix)
	if name == last && a.id == s.kept.Segment && a.written == s.kept.At {
		return nil
	}
	err := s.dir.replace(name, func(w io.Writer) error {
		_, err := of.index.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.commit(manifest{
		Store: of.log.number, Segments: sealedOf(of.log.order), Index: name,
		Segment: a.id, At: a.written, Sequence: s.sequence, Counts: of.counts,
	}); err != nil {
		if s.dir.lost == nil {
			err = errors.Join(err, s.dir.remove(name))
		}
		return err
	}
	if last != "" && last != name {
		s.dir.remove(last) // if it cannot, the next Open does
	}
	return nil
}

// loadIndex returns the index of a checkpoint.
func loadIndex(dir *folder, m *manifest) (*index, error) {
	x := new(index)
	err := dir.read(m.Index, func(r *io.SectionReader) error {
		const bits = segmentBits + offsetBits
		n, err := x.ReadFrom(r)
		if want := m.Counts.Keys + m.Counts.Deleted; err == nil && (n != r.Size() || x.Config().ValueBits != bits ||
			x.Len() != want) {
			err = fmt.Errorf("%w: %d bytes have %d places, want %d and %d of %d bits", ErrCorrupt, n, x.Len(), r.Size(), want,
				bits)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Index, err)
	}
	return x, nil
}
