// Package foreign reads, changes and writes the dumps of cuckoo filters of other Go modules, so that
// a program can take over filters that it has, or share them with programs that keep the other module.
//
//	format     module                              fingerprints  bytes of a dump
//	Seiflotfy  github.com/seiflotfy/cuckoofilter   8 bits        4 a bucket
//	Panmari    github.com/panmari/cuckoofilter v1  16 bits       8 a bucket, little-endian
//
// Both have 4 slots a bucket, a number of buckets that is a power of two, and MetroHash64 with seed 1337. A dump is the
// table and nothing else: no magic, no version, no checksum. So [Decode] can refuse what no such filter writes, but not
// what another filter wrote that happens to have a fitting length. For filters that no other module reads use package
// cuckoo: its tables may have any number of buckets, and its fingerprints any width.
//
// # What is equal
//
// A key has the same two buckets and the same fingerprint as in the other module, and slots are taken and freed in the
// same order. So the bytes are equal after every operation, as long as no insert kicks. The other module chooses at
// random which fingerprints an insert kicks. A [Filter] searches breadth-first by default, which fills a table further,
// and the other module reads the result like its own. With Config.Choices it makes that module's walk: with the choices
// that the other module drew, the bytes are equal after inserts that kick too.
//
// # A failed insert
//
// Those modules give up after 500 kicks and drop the fingerprint that was kicked last: the key that was refused is in
// the filter, and another key, accepted earlier, is lost. A Filter does that only if Config.Lossy is set.
//
// # Verbs and errors
//
// Verbs are those of package cuckoo, without Stats, views and streams: a dump is decoded and encoded as a whole. A
// digest is that of Config.Hash. Errors are cuckoo.ErrFull, ErrConfig, ErrMismatch, ErrTooLarge, ErrTooShort and
// ErrCorrupt. They say what is wrong, and where.
package foreign
