package logstore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The files of a store beside its log.
const (
	indexName = "store.index"
	lockName  = "LOCK"
	newSuffix = ".new"
)

// manifest is what the file of the index begins with: which log is in force, and what it was at the checkpoint, when it
// ended at byte At, of which all records have lower or equal sequences.
type manifest struct {
	Log      int
	Salt     uint32
	At       int64
	Sequence uint64
	Counts   Counts
}

// title is the first line of a manifest; the version follows.
const (
	title   = "nest log store, version "
	version = 3
	// manifestBytes is more than a manifest has.
	manifestBytes = 1 << 10
)

// encode returns the bytes of a manifest: the title, a line of JSON and a checksum of both.
func (m *manifest) encode() []byte {
	line, _ := json.Marshal(m) // of numbers, which cannot fail
	b := fmt.Appendf(nil, "%s%d\n%s\n", title, version, line)
	return fmt.Appendf(b, "%016x\n", xxhash.Sum64(b))
}

// parse reads what b begins with and encode wrote, and returns how many bytes that are.
func (m *manifest) parse(b []byte) (n int, err error) {
	lines := append(bytes.SplitAfterN(b, []byte("\n"), 4), nil, nil, nil)
	said, ok := strings.CutPrefix(string(lines[0]), title)
	if !ok {
		return 0, fmt.Errorf("%w: it begins with %.40q", ErrCorrupt, lines[0])
	}
	n = len(lines[0]) + len(lines[1])
	if is := fmt.Sprintf("%016x\n", xxhash.Sum64(b[:n])); string(lines[2]) != is {
		return 0, fmt.Errorf("%w: its checksum is %.20q, its bytes have %q", ErrCorrupt, lines[2], is)
	}
	if said != fmt.Sprintln(version) {
		return 0, fmt.Errorf("%w: version %.20q, want %d", ErrVersion, said, version)
	}
	if err := json.Unmarshal(lines[1], m); err != nil || m.Log < 0 || m.At < 0 {
		return 0, fmt.Errorf("%w: it says %.200q: %v", ErrCorrupt, lines[1], err)
	}
	return n + len(lines[2]), nil
}

// load returns the last checkpoint. The index may be damaged by itself: then it is nil.
func (d *folder) load() (m manifest, x *index, damaged, err error) {
	f, err := d.open(indexName, asItIs)
	if err != nil {
		return m, nil, nil, err
	}
	defer f.Close() // nothing was written
	in := bufio.NewReader(io.NewSectionReader(f, 0, math.MaxInt64))
	head, err := in.Peek(manifestBytes)
	if err == nil || err == io.EOF {
		var n int
		n, err = m.parse(head)
		in.Discard(n) // of what was peeked at
	}
	if err != nil {
		return m, nil, nil, fmt.Errorf("%s: %w", indexName, err)
	}
	x = new(index)
	_, damaged = x.ReadFrom(in)
	if want := m.Counts.Keys + m.Counts.Deleted; damaged == nil && (x.Config().ValueBits != placeBits || x.Len() != want) {
		damaged = fmt.Errorf("%w: it has %d places, want %d of %d bits", ErrCorrupt, x.Len(), want, placeBits)
	}
	if _, more := in.ReadByte(); damaged == nil && more != io.EOF {
		damaged = fmt.Errorf("%w: there is more behind the index", ErrCorrupt)
	}
	if damaged != nil {
		return m, nil, fmt.Errorf("%s: %w", indexName, damaged), nil
	}
	return m, x, nil, nil
}

// checkpoint makes all records of a log survive, and stores its index with a manifest that puts both in force, so that
// the next [Open] reads only what is put from now on: the store's own, or those of one to become its. The store makes
// checkpoints by itself, so that Open reads no more than 64 MiB or four times the index, and when it is closed.
func (s *Store) checkpoint(of *Store) error {
	l := of.log
	if err := l.settle(); err != nil {
		return err
	}
	m := manifest{Log: l.number, Salt: l.salt, At: l.written, Sequence: s.sequence, Counts: of.counts}
	if m == s.kept {
		return nil
	}
	err := s.dir.replace(indexName, func(w io.Writer) error {
		_, err := w.Write(m.encode())
		if err == nil {
			_, err = of.index.WriteTo(w)
		}
		return err
	})
	if err == nil {
		s.kept = m
	}
	return err
}
