// Package trace shows what a cuckoo filter does with a handful of keys, insert by insert: digest,
// fingerprint, both buckets, every kick of the cuckoo path, and the table, as text and as an SVG
// picture for slides.
//
// What it shows is read off a real cuckoo.Filter and not off a model of one: the table is that of the filter's %#v, and
// the kicks are those that a cuckoo.Walk tells of. A [Frame] draws the instants of an insert, as nest page shows them.
package trace
