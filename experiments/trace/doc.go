// Package trace shows what a cuckoo filter does with a handful of keys, insert by insert: digest,
// fingerprint, both buckets, every kick of the cuckoo path, and the table, as text and as an SVG
// picture for slides.
//
// What it shows is read off a real cuckoo.Filter and not off a model of one. The table comes from
// the filter's %#v; the kicks come from a second filter of the same configuration, whose kick policy
// lets that of the first make its kicks and asks the walk for them. Before a step is reported, its kicks are replayed
// on the table as it was and must give the table as it is.
package trace
