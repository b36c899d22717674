// Package hugepage allocates tables that, from 8 MiB on, ask the operating system for pages of 2 MiB, where it has
// them: one entry of the processor's page cache then covers 512 times as much of a table, so that
// random accesses miss it less often.
//
// The memory comes from the ordinary heap and is collected with it. On Linux the allocation is
// followed by madvise(MADV_HUGEPAGE), which works in the modes "madvise" and "always" of
// /sys/kernel/mm/transparent_hugepage/enabled. Everywhere else, and for words where package le does
// not see them as bytes, nothing is asked. It is advice: its failure is no error, and the table is as usable as
// without.
//
// The pages are given when they are first written. A large allocation is fresh from the system, or
// was given back to it in the background, more often than not; where the heap reuses memory that it
// still holds, the system collects that into large pages later, at its own pace, or never.
package hugepage
