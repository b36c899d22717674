package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/nestfilter/nest/cuckoo/rediscf"
)

// shardsMagic begins a file of shards. Their number (4 bytes) and the dumps of all follow.
const shardsMagic = "\x89cfs\r\n\x1a\x01"

// perFilter is what rediscf.Limits.Bytes counts for each sub-filter after the first.
const perFilter = 576

// WriteTo writes the dumps of all shards, as docs/SHARDING.md describes the bytes, and returns how many they are.
// Errors are those of [WriteDump].
func (s *Shards) WriteTo(w io.Writer) (n int64, err error) {
	m, err := w.Write(binary.LittleEndian.AppendUint32([]byte(shardsMagic), uint32(len(s.filters))))
	if n = int64(m); err != nil {
		return n, fmt.Errorf("wire: dump of shards: %w", err)
	}
	for i, f := range s.filters {
		m, err := WriteDump(w, f)
		if n += m; err != nil {
			return n, fmt.Errorf("wire: shard %d: %w", i, err)
		}
	}
	return n, nil
}

// ReadDumps reads a file of either kind to its end: what [WriteDump] wrote is the filter, and what
// [Shards.WriteTo] wrote the shards; the other is nil. limits.Bytes bounds the tables of all shards
// together. Errors are those of [ReadDump].
func ReadDumps(r io.Reader, limits rediscf.Limits) (*rediscf.Filter, *Shards, error) {
	b := bufio.NewReaderSize(r, pieceSize)
	if start, _ := b.Peek(len(shardsMagic)); string(start) != shardsMagic { // too short a file is for the other to refuse
		f, err := readDump(b, limits)
		return f, nil, err
	}
	s, err := readShards(b, limits)
	if err == nil {
		err = nothingFollows(b)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("wire: dump of shards: %w", err)
	}
	return nil, s, nil
}

// readShards reads a file of shards.
func readShards(r *bufio.Reader, limits rediscf.Limits) (*Shards, error) {
	d := reader{r: r, sum: crc32.New(castagnoli)}
	var start [len(shardsMagic) + 4]byte
	if err := d.next(start[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(start[len(shardsMagic):])
	if n < 1 || n > MaxShards {
		return nil, fmt.Errorf("%w: %d shards, want 1..%d", rediscf.ErrCorrupt, n, MaxShards)
	}
	s := &Shards{}
	for i := range n {
		d := reader{r: r, sum: crc32.New(castagnoli), loader: rediscf.Loader{Limits: limits}}
		f, err := d.read()
		if err != nil {
			return nil, fmt.Errorf("shard %d: at byte %d of it: %w", i, d.at, err)
		}
		s.filters = append(s.filters, f)
		if limits.Bytes > 0 { // 0 is the default for each
			i := f.Info()
			limits.Bytes = max(limits.Bytes-int(tableBytes(i))-perFilter*(i.Filters-1), 1)
		}
	}
	return s, nil
}
