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
	"slices"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// A dump as a file is what CF.SCANDUMP replies, in order: magic, for each chunk its position (8 bytes), its
// length (4) and its bytes, then a position and a length of 0, and the CRC-32C of all before (4). A file of shards is
// shardsMagic, their number (4) and the dumps of all.

const (
	// magic begins a dump, shardsMagic a file of shards. The last byte is the version.
	magic       = "\x89cfd\r\n\x1a\x01"
	shardsMagic = "\x89cfs\r\n\x1a\x01"
	// recordSize is the bytes of a position and a length.
	recordSize = 8 + 4
	// pieceSize is how much of a file is read at once, whatever its lengths say.
	pieceSize = 64 << 10
)

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteDump writes the dump of f, as docs/REDIS.md describes the bytes, and returns how many they are. A filter without
// items has its empty tables written. One that was not reserved is [ErrEmpty]; other errors are those of w.
func WriteDump(w io.Writer, f *rediscf.Filter) (n int64, err error) {
	defer explain(&err, "dump")
	if f.Info().Filters == 0 {
		return 0, fmt.Errorf("%w: the filter was not reserved", ErrEmpty)
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
	put([]byte(magic))
	for position, chunk := range f.ScanAll() {
		put(record(position, len(chunk)))
		put(chunk)
	}
	put(record(0, 0))
	put(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return n, err
}

// record returns what stands before a chunk.
func record(position int64, length int) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, recordSize), uint64(position))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// WriteTo writes the dumps of all shards, as docs/REDIS.md describes the bytes, and returns how many they are.
// Errors are those of [WriteDump].
func (s *Shards) WriteTo(w io.Writer) (n int64, err error) {
	m, err := w.Write(binary.LittleEndian.AppendUint32([]byte(shardsMagic), uint32(len(s.filters))))
	n = int64(m)
	for i := 0; i < len(s.filters) && err == nil; i++ {
		var more int64
		more, err = WriteDump(w, s.filters[i])
		explain(&err, "shard %d", i)
		n += more
	}
	return n, err
}

// ReadDump reads what [WriteDump] wrote, to the end of r. A file that ends early is [ErrTooShort]. One that is no dump,
// contradicts itself or its checksum, or goes on after its end is [rediscf.ErrCorrupt]. Another version is
// [ErrVersion], and a filter beyond the limits [rediscf.ErrTooLarge]. The tables are allocated only if the limits
// permit the header. Besides them ReadDump allocates 128 KiB, whatever lengths the file claims.
func ReadDump(r io.Reader, limits rediscf.Limits) (f *rediscf.Filter, err error) {
	d := newReader(bufio.NewReaderSize(r, pieceSize), limits)
	if f, err = d.read(); err == nil {
		err = d.nothingFollows()
	}
	if err != nil {
		return nil, fmt.Errorf("wire: dump: at byte %d: %w", d.at, err)
	}
	return f, nil
}

// ReadDumps reads a file of either kind to its end: what [WriteDump] wrote is the filter, and what
// [Shards.WriteTo] wrote the shards; the other is nil. limits.Bytes bounds the tables of all shards
// together. Errors are those of [ReadDump].
func ReadDumps(r io.Reader, limits rediscf.Limits) (*rediscf.Filter, *Shards, error) {
	b := bufio.NewReaderSize(r, pieceSize)
	if start, _ := b.Peek(len(shardsMagic)); string(start) != shardsMagic { // or too short, which ReadDump refuses
		f, err := ReadDump(b, limits)
		return f, nil, err
	}
	s, err := readShards(b, limits)
	if err != nil {
		return nil, nil, fmt.Errorf("wire: dump of shards: %w", err)
	}
	return nil, s, nil
}

// readShards reads a file of shards.
func readShards(r *bufio.Reader, limits rediscf.Limits) (*Shards, error) {
	d := newReader(r, limits)
	start := d.next(int64(len(shardsMagic) + 4))
	n := binary.LittleEndian.Uint32(start[len(shardsMagic):])
	switch {
	case d.err != nil:
		return nil, d.err
	case n < 1 || n > MaxShards:
		return nil, fmt.Errorf("%w: %d shards, want 1..%d", rediscf.ErrCorrupt, n, MaxShards)
	}
	s := &Shards{}
	for i := range n {
		d = newReader(r, limits)
		f, err := d.read()
		if err != nil {
			return nil, fmt.Errorf("shard %d: at byte %d of it: %w", i, d.at, err)
		}
		s.filters = append(s.filters, f)
		if limits.Bytes > 0 { // 0 is the default for each
			limits.Bytes = max(limits.Bytes-f.LimitedBytes(), 1)
		}
	}
	return s, d.nothingFollows()
}

// reader reads one dump. After its first error it reads nothing but zeros.
type reader struct {
	r      *bufio.Reader
	buffer []byte
	sum    hash.Hash32
	at     int64   // bytes read
	ends   []int64 // the position of the end of each sub-filter
	loader rediscf.Loader
	err    error
}

func newReader(r *bufio.Reader, limits rediscf.Limits) *reader {
	loader := rediscf.Loader{Limits: limits}
	return &reader{r: r, buffer: make([]byte, pieceSize), sum: crc32.New(castagnoli), loader: loader}
}

// next reads n bytes, at most pieceSize, and puts them into the checksum.
func (d *reader) next(n int64) []byte {
	b := d.buffer[:n]
	if d.err == nil {
		m, err := io.ReadFull(d.r, b)
		d.at += int64(m)
		if d.err = err; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			d.err = ErrTooShort
		}
	}
	if d.err != nil {
		clear(b)
	}
	d.sum.Write(b) // never fails
	return b
}

// nothingFollows reads the end of a file.
func (d *reader) nothingFollows() error {
	_, err := d.r.ReadByte()
	switch {
	case err == nil:
		return fmt.Errorf("%w: there is more behind the end", rediscf.ErrCorrupt)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// read reads the dump, piece by piece.
func (d *reader) read() (*rediscf.Filter, error) {
	d.magic()
	for end := int64(0); ; {
		b := d.next(recordSize)
		position, length := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:]))
		if position == 0 && length == 0 {
			return d.end()
		}
		d.err = d.follows(end, position, length)
		for rest := length; rest > 0 && d.err == nil; {
			b := d.next(min(rest, pieceSize))
			if rest -= int64(len(b)); d.err == nil {
				d.err = d.loader.Load(position-rest, b)
			}
		}
		if end == 0 && d.err == nil {
			d.ends = borders(d.loader.Info())
		}
		end = position
	}
}

// magic reads the first bytes.
func (d *reader) magic() {
	const version = len(magic) - 1
	b := d.next(int64(len(magic)))
	switch {
	case d.err != nil || string(b) == magic:
	case string(b[:version]) == magic[:version]:
		d.err = fmt.Errorf("%w: version %d, want %d", ErrVersion, b[version], magic[version])
	default:
		d.err = fmt.Errorf("%w: it does not begin as a dump of a Redis cuckoo filter does", rediscf.ErrCorrupt)
	}
}

// follows checks that a chunk begins where the last one ended and ends in the same sub-filter. The loader sees pieces.
func (d *reader) follows(end, position, length int64) error {
	k, _ := slices.BinarySearch(d.ends, end+1)
	switch {
	case end == 0 && (position != rediscf.HeaderPosition || length != rediscf.HeaderSize):
		return fmt.Errorf("%w: the first chunk has position %d and %d bytes, want the header's",
			rediscf.ErrCorrupt, position, length)
	case end > 0 && (length == 0 || position <= end || position-end != length):
		return fmt.Errorf("%w: a chunk of %d bytes has position %d, the one before %d",
			rediscf.ErrCorrupt, length, position, end)
	case k < len(d.ends) && d.ends[k] < position:
		return fmt.Errorf("%w: a chunk of %d bytes with position %d crosses from one sub-filter into the next",
			rediscf.ErrCorrupt, length, position)
	}
	return nil
}

// end checks the checksum and returns the filter, or the first error.
func (d *reader) end() (*rediscf.Filter, error) {
	want := d.sum.Sum32()
	if got := binary.LittleEndian.Uint32(d.next(4)); d.err == nil && got != want {
		d.err = fmt.Errorf("%w: checksum %08x, the bytes have %08x", rediscf.ErrCorrupt, got, want)
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.loader.Filter()
}

// tableBytes returns the bytes of all tables: the size that CF.INFO reports, less 40 and 16 for each sub-filter.
func tableBytes(i rediscf.Info) int64 { return int64(i.Size) - 40 - 16*int64(i.Filters) }

// pieces returns the tables of a filter that has items in pieces of at most size bytes, each with its position.
func pieces(f *rediscf.Filter, size int) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for position, chunk := range f.Scan() {
			if position == rediscf.HeaderPosition {
				continue
			}
			position -= int64(len(chunk))
			for piece := range slices.Chunk(chunk, size) {
				if position += int64(len(piece)); !yield(position, piece) {
					return
				}
			}
		}
	}
}

// borders returns the position of the end of each sub-filter, whose sizes must have been checked.
func borders(i rediscf.Info) []int64 {
	list := make([]int64, i.Filters)
	position, size := int64(rediscf.HeaderPosition), int64(i.Buckets)*int64(i.BucketSize)
	for k := range list {
		position += size
		list[k] = position
		size *= int64(i.Expansion)
	}
	return list
}
