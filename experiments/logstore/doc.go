// Package logstore is a store of keys and values on files whose index is a maplet: a log to which records are appended,
// and in memory the place of each key's last record.
//
//	s, err := logstore.Open("folder", logstore.Options{Create: true})
//	...
//	err = s.Put(key, value)          // in memory
//	err = s.Sync()                   // on the disk, with all before it
//	value, err := s.Get(key)         // reads the log once
//	err = s.Delete(key)              // Get says ErrDeleted from now on
//	err = s.Compact()                // Get says ErrNotFound, and the room is free
//
// The index has fingerprints of 12 bits and values of 36, the place of a record in units of 8 bytes: 6.3 bytes a key
// when it grows and 7.9 when it has just grown. It does not have the keys: a Get reads the record at each candidate
// place and compares the whole key. A key that is there has 1.002 candidates on average at most, one that is not 0.002.
// The index doubles while it is below 4 MiB, and grows by a quarter from then on. It reads the keys of the log for
// that, and has the old and the new table in memory meanwhile: 14 bytes a key.
//
// # Files
//
// A folder has a log, the index as it was at the last checkpoint with a manifest before it, and a lock file. The log is
// records behind each other, in little-endian numbers:
//
//	| checksum 4 | kind 1 | synced 1 | key length 2 | value length 4 | synced 4 | sequence 8 | key | value | zeros to 8
//
// The checksum is the CRC-32C of all that follows it. It begins with a number made of the log and the place, so that a
// record is valid at its own place only. The field synced, its high byte first, says how much of the log, in units of 8
// bytes, was surely on the disk when the record was made.
//
// A log has at most 512 GiB. [Store.Compact] writes the live records to a new one, for which there must be room beside
// the old. Keys have up to 65535 bytes and values up to 16 MiB. Eight keys of one digest have room in the index, and
// Put refuses a ninth with [ErrSize]. The hash is no secret: who chooses all keys can do this.
//
// # What survives
//
// After [Store.Sync] returned nil, all records that were put before it survive the end of the process and of the
// machine. Later ones may be lost, the last first. [Open] reads what was appended since the last checkpoint. Where the
// log does not end with a whole record it cuts the rest off, and [Store.Recovered] says how much. If the manifest or a
// later record says that a part of the rest was synced, it is damaged and not torn: then Open returns [ErrCorrupt] and
// changes nothing. What Open finds and keeps is on the disk when it returns.
//
// A write that fails, as on a full disk, leaves every record where it was, in memory those that are not written yet,
// and can be tried again. After an fsync that failed nobody knows what is on the disk: the store then refuses every
// change, with the error, until it is opened anew.
//
// # One writer
//
// Any number of goroutines may use a Store. Changes wait for each other, and lookups wait for none of them but for the
// moments in which the index is written. Only one process at a time can have a store open to change it. The lock is the
// system's (flock) on the file LOCK, and ends with the process. With [Options.ReadOnly] a store is opened without a
// write of any kind. Readers share the lock: any number of processes read at a time, and while one does no process can
// change the store. Where LOCK is missing, as in a copy, a reader takes no lock.
package logstore
