package logstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The files of a store beside its segments.
const (
	manifestName = "MANIFEST"
	lockName     = "LOCK"
	newSuffix    = ".new"
	indexSuffix  = ".index"
	logSuffix    = ".log"
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

// counts is what is known of the records of a log without reading it.
type counts struct {
	// Keys have a value, Deleted a record that says that they have none. LiveBytes are those of the records of both.
	Keys, Deleted int
	LiveBytes     int64
}

// title is the first line of a manifest; the version follows.
const title = "nest log store, version "

// encode returns the bytes of a manifest: the title, a line of JSON and a checksum of both.
func (m *manifest) encode() []byte {
	line, _ := json.Marshal(m) // of numbers and strings, which cannot fail
	b := fmt.Appendf(nil, "%s%d\n%s\n", title, version, line)
	return fmt.Appendf(b, "%016x\n", xxhash.Sum64(b))
}

// parseManifest reads what encode wrote.
func parseManifest(b []byte) (m manifest, err error) {
	wrong := func(kind error, format string, args ...any) (manifest, error) {
		return m, fmt.Errorf("%s: %w: "+format, append([]any{manifestName, kind}, args...)...)
	}
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	said, ok := strings.CutPrefix(string(first), title)
	line, sum, _ := bytes.Cut(rest, []byte("\n"))
	if !ok {
		return wrong(ErrCorrupt, "it begins with %.40q", first)
	}
	if is := fmt.Sprintf("%016x\n", xxhash.Sum64(b[:len(b)-len(sum)])); string(sum) != is {
		return wrong(ErrCorrupt, "its checksum is %.20q, its bytes have %q", sum, is)
	}
	if said != fmt.Sprint(version) {
		return wrong(ErrVersion, "version %.20s, want %d", said, version)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return wrong(ErrCorrupt, "%w", err)
	}
	if len(m.Segments) == 0 || len(m.Segments) > maxSegments {
		return wrong(ErrCorrupt, "%d segments", len(m.Segments))
	}
	for _, s := range m.Segments {
		if s.ID < 0 || s.ID >= maxSegments {
			return wrong(ErrCorrupt, "segment %d", s.ID)
		}
	}
	return m, nil
}

// commit puts a manifest in force, after the names of the files that it lists survive. If it fails the last one is in
// force, unless unsure, when nobody knows.
func (m *manifest) commit(dir files) (unsure bool, err error) {
	if err := replaceFile(dir, manifestName+newSuffix, func(w io.Writer) error {
		_, err := w.Write(m.encode())
		return err
	}); err != nil {
		return false, err
	}
	if err := dir.sync(); err != nil {
		return true, err
	}
	if err := dir.rename(manifestName+newSuffix, manifestName); err != nil {
		return false, err
	}
	return true, dir.sync()
}

// replaceFile writes a file that survives, unless the folder's names do not. If it fails there is no such file.
func replaceFile(dir files, name string, write func(io.Writer) error) error {
	f, err := dir.create(name)
	if err != nil {
		return err
	}
	if err = write(io.NewOffsetWriter(f, 0)); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(err, dir.remove(name)))
	}
	return nil
}

// readFile returns the bytes of a file.
func readFile(dir files, name string) ([]byte, error) {
	f, err := dir.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	size, err := f.size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}
