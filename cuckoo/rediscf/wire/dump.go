package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// A dump as a file is what CF.SCANDUMP replies, in order: magic, for each chunk its position (8 bytes), its
// length (4) and its bytes, then a position and a length of 0, and the CRC-32C of all before (4).

// magic begins the file. Its last byte is the version.
const magic = "\x89cfd\r\n\x1a\x01"

const (
	recordSize = 8 + 4 // of position and length
	// pieceSize is how much of a file is read at once, whatever its lengths say.
	pieceSize = 64 << 10
)

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteDump writes the dump of f, as docs/REDIS.md describes the bytes, and returns how many they are. A
// filter without items has its empty tables written. One that was not reserved is [ErrEmpty]; other
// errors are those of w.
func WriteDump(w io.Writer, f *rediscf.Filter) (n int64, err error) {
	i := f.Info()
	if i.Filters == 0 {
		return 0, fmt.Errorf("wire: dump: %w: the filter was not reserved", ErrEmpty)
	}
	var chunks iter.Seq2[int64, []byte] = f.Scan()
	if i.Items == 0 {
		chunks = emptyDump(i)
	}
	sum := crc32.New(castagnoli)
	put := func(b []byte) {
		if err == nil {
			sum.Write(b) // never fails
			var m int
			m, err = w.Write(b)
			n += int64(m)
		}
	}
	record := make([]byte, 0, recordSize)
	put([]byte(magic))
	for position, chunk := range chunks {
		put(appendRecord(record, position, len(chunk)))
		put(chunk)
	}
	put(appendRecord(record, 0, 0))
	put(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	if err != nil {
		return n, fmt.Errorf("wire: dump: %w", err)
	}
	return n, nil
}

// appendRecord appends what stands before a chunk.
func appendRecord(b []byte, position int64, length int) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(position))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// ReadDump reads what [WriteDump] wrote, to the end of r. A file that ends early is [ErrTooShort]. One that
// is no dump, contradicts itself or its checksum, or goes on behind its end is [rediscf.ErrCorrupt].
// Another version is [ErrVersion], and a filter beyond the limits [rediscf.ErrTooLarge]. The tables are
// allocated only if the limits permit the header. Besides them ReadDump allocates 128 KiB, whatever lengths
// the file claims.
func ReadDump(r io.Reader, limits rediscf.Limits) (*rediscf.Filter, error) {
	return readDump(bufio.NewReaderSize(r, pieceSize), limits)
}

// readDump is ReadDump of a buffer.
func readDump(r *bufio.Reader, limits rediscf.Limits) (*rediscf.Filter, error) {
	d := reader{r: r, sum: crc32.New(castagnoli), loader: rediscf.Loader{Limits: limits}}
	f, err := d.read()
	if err == nil {
		err = nothingFollows(r)
	}
	if err != nil {
		return nil, fmt.Errorf("wire: dump: at byte %d: %w", d.at, err)
	}
	return f, nil
}

// nothingFollows reads the end of a file.
func nothingFollows(r *bufio.Reader) error {
	switch _, err := r.ReadByte(); {
	case err == nil:
		return fmt.Errorf("%w: there is more behind the end", rediscf.ErrCorrupt)
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// reader reads one dump.
type reader struct {
	r      *bufio.Reader
	sum    hash.Hash32
	at     int64   // bytes read
	ends   []int64 // the position of the end of each sub-filter that is not read whole
	loader rediscf.Loader
}

// next reads all of b and puts it into the checksum.
func (d *reader) next(b []byte) error {
	n, err := io.ReadFull(d.r, b)
	d.at += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTooShort
	}
	d.sum.Write(b[:n]) // never fails
	return err
}

// read reads the dump.
func (d *reader) read() (*rediscf.Filter, error) {
	if err := d.magic(); err != nil {
		return nil, err
	}
	piece := make([]byte, pieceSize)
	for end := int64(0); ; {
		record := piece[:recordSize]
		if err := d.next(record); err != nil {
			return nil, err
		}
		position, length := int64(binary.LittleEndian.Uint64(record)), int64(binary.LittleEndian.Uint32(record[8:]))
		if position == 0 && length == 0 {
			return d.end()
		}
		if err := d.follows(end, position, length); err != nil {
			return nil, err
		}
		if err := d.chunk(position, length, piece); err != nil {
			return nil, err
		}
		end = position
	}
}

// magic reads the first bytes.
func (d *reader) magic() error {
	b := make([]byte, len(magic))
	if err := d.next(b); err != nil {
		return err
	}
	version := len(magic) - 1
	switch {
	case string(b) == magic:
		return nil
	case string(b[:version]) == magic[:version]:
		return fmt.Errorf("%w: version %d, want %d", ErrVersion, b[version], magic[version])
	}
	return fmt.Errorf("%w: it does not begin as a dump of a Redis cuckoo filter does", rediscf.ErrCorrupt)
}

// follows checks that a chunk begins where the one before ended, the header being the first, and ends in
// the same sub-filter. The loader sees pieces, to which that may be hidden.
func (d *reader) follows(end, position, length int64) error {
	if end == 0 {
		if position != headerPosition || length != rediscf.HeaderSize {
			return fmt.Errorf("%w: the first chunk has position %d and %d bytes, want the header's", rediscf.ErrCorrupt, position, length)
		}
		return nil
	}
	if length == 0 || position <= end || position-end != length {
		return fmt.Errorf("%w: a chunk of %d bytes has position %d, the one before %d", rediscf.ErrCorrupt, length, position, end)
	}
	for len(d.ends) > 0 && d.ends[0] <= end {
		d.ends = d.ends[1:]
	}
	if len(d.ends) > 0 && d.ends[0] < position {
		return fmt.Errorf("%w: a chunk of %d bytes with position %d crosses from one sub-filter into the next", rediscf.ErrCorrupt, length, position)
	}
	return nil
}

// chunk reads one chunk piece by piece.
func (d *reader) chunk(position, length int64, piece []byte) error {
	if position == headerPosition {
		if err := d.next(piece[:length]); err != nil {
			return err
		}
		if err := d.loader.Load(position, piece[:length]); err != nil {
			return err
		}
		d.ends = borders(d.loader.Info())
		return nil
	}
	for rest := length; rest > 0; {
		b := piece[:min(rest, pieceSize)]
		if err := d.next(b); err != nil {
			return err
		}
		rest -= int64(len(b))
		if err := d.loader.Load(position-rest, b); err != nil {
			return err
		}
	}
	return nil
}

// end checks the checksum and returns the filter.
func (d *reader) end() (*rediscf.Filter, error) {
	want := d.sum.Sum32()
	var b [4]byte
	if err := d.next(b[:]); err != nil {
		return nil, err
	}
	if got := binary.LittleEndian.Uint32(b[:]); got != want {
		return nil, fmt.Errorf("%w: checksum %08x, the bytes have %08x", rediscf.ErrCorrupt, got, want)
	}
	return d.loader.Filter()
}
