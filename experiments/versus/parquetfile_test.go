package versus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/parquet"
	"github.com/nestfilter/nest/experiments/must"
	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// row is a row of the Parquet files of these tests.
type row struct {
	Name  string `parquet:"name"`
	ID    int64  `parquet:"id"`
	Small int32  `parquet:"small"`
}

func rowOf(n int) row {
	return row{Name: fmt.Sprint("name ", n), ID: int64(n) * 1_000_003, Small: int32(n) - 500}
}

// columns are the columns of row in the file's order: the value of a row for parquet-go, and its plain
// encoding, which is the key for us.
var columns = []struct {
	name  string
	value func(r row) parquetgo.Value
	key   func(r row) []byte
}{
	{"name",
		func(r row) parquetgo.Value { return parquetgo.ValueOf(r.Name) },
		func(r row) []byte { return []byte(r.Name) }},
	{"id",
		func(r row) parquetgo.Value { return parquetgo.ValueOf(r.ID) },
		func(r row) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(r.ID)) }},
	{"small",
		func(r row) parquetgo.Value { return parquetgo.ValueOf(r.Small) },
		func(r row) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(r.Small)) }},
}

const (
	fileRows  = 2500
	groupRows = 1000
)

// writeFile returns a Parquet file of three row groups with a filter for every column.
func writeFile(t *testing.T) []byte {
	t.Helper()
	var rows []row
	for n := range fileRows {
		rows = append(rows, rowOf(n))
	}
	var file bytes.Buffer
	w := parquetgo.NewGenericWriter[row](&file, parquetgo.MaxRowsPerRowGroup(groupRows), parquetgo.BloomFilters(
		parquetgo.SplitBlockFilter(10, "name"), parquetgo.SplitBlockFilter(10, "id"), parquetgo.SplitBlockFilter(7, "small")))
	must.Get(w.Write(rows))(t)
	must.Do(t, w.Close())
	return file.Bytes()
}

func openFile(t *testing.T, data []byte) *parquetgo.File {
	t.Helper()
	return must.Get(parquetgo.OpenFile(bytes.NewReader(data), int64(len(data))))(t)
}

// sameAnswers asks parquet-go's filter of a column chunk and ours for rows in the group and others.
func sameAnswers(t *testing.T, theirs parquetgo.BloomFilter, ours *bloom.SplitBlock, column, from, to int) {
	t.Helper()
	c, positives := columns[column], 0
	for n := range 20 * fileRows {
		want := must.Get(theirs.Check(c.value(rowOf(n))))(t)
		if got := ours.Contains(c.key(rowOf(n))); got != want || !got && n >= from && n < to {
			t.Fatalf("column %s, row %d of a group from %d to %d: ours %t, theirs %t", c.name, n, from, to, got, want)
		}
		if want && (n < from || n >= to) {
			positives++
		}
	}
	if positives == 0 {
		t.Errorf("column %s: no false positive: the comparison shows little", c.name)
	}
}

// TestParquet_ReadsTheirFile reads every filter of a file that parquet-go wrote. Header and bitset are,
// byte for byte, what Encode makes of it, and of a filter of ours with the same keys.
func TestParquet_ReadsTheirFile(t *testing.T) {
	data := writeFile(t)
	f := openFile(t, data)
	groups := f.Metadata().RowGroups
	if len(groups) != 3 {
		t.Fatalf("%d row groups", len(groups))
	}
	for g, group := range f.RowGroups() {
		from, to := g*groupRows, min((g+1)*groupRows, fileRows)
		for c, chunk := range group.ColumnChunks() {
			meta := groups[g].Columns[c].MetaData
			ours := must.Get(parquet.DecodeAt(f, meta.BloomFilterOffset, bloom.Config{}))(t)
			sameAnswers(t, chunk.BloomFilter(), ours, c, from, to)

			mine := must.Get(bloom.NewSplitBlock(bloom.Config{Slots: ours.Slots()}))(t)
			for n := from; n < to; n++ {
				mine.Insert(columns[c].key(rowOf(n)))
			}
			encoded, err := parquet.Encode(mine)
			stored := data[meta.BloomFilterOffset:][:meta.BloomFilterLength]
			if err != nil || !ours.Equal(mine) || !bytes.Equal(encoded, stored) {
				t.Errorf("group %d, column %s: filter of our keys differs from the file's, %v", g, columns[c].name, err)
			}
			if again, err := parquet.Decode(stored, bloom.Config{}); err != nil || !again.Equal(ours) {
				t.Errorf("group %d, column %s: from bytes: %v", g, columns[c].name, err)
			}
		}
	}
}

// withFilters returns the file with other filters: behind its pages stand the given ones, one for each column
// chunk in order, and a footer that says where.
func withFilters(t *testing.T, data []byte, filters [][]byte) []byte {
	t.Helper()
	const magic = "PAR1"
	size := len(data) - len(magic) - 4
	footer := int(binary.LittleEndian.Uint32(data[size:]))
	file, meta := slices.Clone(data[:size-footer]), openFile(t, data).Metadata()
	for g := range meta.RowGroups {
		for c := range meta.RowGroups[g].Columns {
			m := &meta.RowGroups[g].Columns[c].MetaData
			m.BloomFilterOffset, m.BloomFilterLength = int64(len(file)), int32(len(filters[0]))
			file, filters = append(file, filters[0]...), filters[1:]
		}
	}
	encoded := must.Get(thrift.Marshal(new(thrift.CompactProtocol), meta))(t)
	file = append(file, encoded...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(encoded))), magic...)
}

// blocksOf returns the size of filter i of the next test, which gets 26 keys a block: rates near 0.01.
func blocksOf(i int) int { return 17 + 30*i }

// TestParquet_TheyReadOurFilters puts filters of ours, of several sizes and with keys that no row has, into
// a file, which parquet-go opens, and compares its answers with ours.
func TestParquet_TheyReadOurFilters(t *testing.T) {
	data := writeFile(t)
	var ours []*bloom.SplitBlock
	var encoded [][]byte
	for i := range 3 * len(columns) {
		f := must.Get(bloom.NewSplitBlock(bloom.Config{Slots: 256 * blocksOf(i)}))(t)
		for n := 3000; n < 3000+26*blocksOf(i); n++ {
			f.Insert(columns[i%len(columns)].key(rowOf(n)))
		}
		b := must.Get(parquet.Encode(f))(t)
		ours, encoded = append(ours, f), append(encoded, b)
	}
	for i, group := range openFile(t, withFilters(t, data, encoded)).RowGroups() {
		for c, chunk := range group.ColumnChunks() {
			n := i*len(columns) + c
			if got, want := chunk.BloomFilter().Size(), int64(ours[n].SizeBytes()); got != want {
				t.Errorf("filter %d has %d bytes for parquet-go, %d for us", n, got, want)
			}
			sameAnswers(t, chunk.BloomFilter(), ours[n], c, 3000, 3000+26*blocksOf(n))
		}
	}
}

// TestParquet_HeaderAsTheirs compares our header with that of parquet-go's encoder at many sizes.
func TestParquet_HeaderAsTheirs(t *testing.T) {
	for _, blocks := range []int{1, 2, 3, 255, 256, 257, 1 << 15} {
		f := newSplitBlock(t, blocks)
		encoded := must.Get(parquet.Encode(f))(t)
		header := format.BloomFilterHeader{NumBytes: int32(f.SizeBytes())}
		header.Algorithm.Value = &format.SplitBlockAlgorithm{}
		header.Hash.Value = &format.XxHash{}
		header.Compression.Value = &format.BloomFilterUncompressed{}
		want, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
		if got := encoded[:len(encoded)-f.SizeBytes()]; err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d blocks: header %x, theirs %x, %v", blocks, got, want, err)
		}
	}
}
