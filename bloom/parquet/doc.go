// Package parquet writes and reads the Bloom filters of Apache Parquet files: the split-block filter
// of package bloom with the header of the format before it.
//
// In a Parquet file a column chunk may have a filter, at the offset bloom_filter_offset of its metadata.
// [DecodeAt] reads it from there, and [Encode] gives the bytes for a writer that puts it there. A key
// is a value in Parquet's plain encoding: a string as its bytes without their length, an integer as
// its 4 or 8 bytes, lowest first. The hash is XXH64 with seed 0, the default of bloom.SplitBlock.
//
// # Bytes
//
// The header is the structure BloomFilterHeader of parquet.thrift in the compact protocol of Apache Thrift:
//
//	15 ..        field 1, a 32-bit integer: the bytes of the bitset, as a zigzag varint
//	1c 1c 00 00  field 2, a union: its member 1, the empty structure SplitBlockAlgorithm
//	1c 1c 00 00  field 3, a union: its member 1, the empty structure XxHash
//	1c 1c 00 00  field 4, a union: its member 1, the empty structure Uncompressed
//	00           the end
//
// The bitset follows, as bloom.SplitBlock.Bitset has it. There is no checksum. Decode skips fields
// that it does not know, as Thrift demands, and refuses any other member of a union.
//
// # Errors
//
// The errors are those of package bloom, and errors.Is works with them. They say what is wrong, and where.
package parquet
