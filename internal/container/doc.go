// Package container is the file that every filter is kept in: a header that says what the filter is, the
// table, and a checksum of each. docs/FORMAT.md has every byte.
//
//	| magic version type | Len | parameters | recipes | zeros | checksum |  a multiple of 64 bytes
//	| table                                                              |
//	| checksum                                                           |  8 bytes
//
// A filter package describes a filter as an [Image], which is appended to bytes or written to a stream, and reads one
// from a [Source], which comes from either. A [View] is a file whose table is left where it is. All of them pass over
// the table once, in pieces that stay in the cache between the checksum and the copy.
//
// The checksum of the table stands behind it, so that a stream needs one pass and bounded memory, and is
// seeded with that of the header: a table under the header of another file is noticed.
//
// Nothing here panics on what it reads. Sizes are believed only as far as there are bytes for them.
// Errors wrap those of package errs and say at which byte; the caller puts its own name in front.
package container
