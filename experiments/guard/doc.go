// Package guard measures what a filter saves, and what it costs, in front of a store on disk: a bbolt file, which is
// read only if the filter does not say that the key is absent.
//
// Rows are deleted while queries run. A guard that cannot delete goes stale: it sends queries for deleted rows to the
// store, where they find nothing. Such a read is wasted.
package guard
