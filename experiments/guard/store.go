package guard

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"go.etcd.io/bbolt"
)

// rowBytes is the length of a value.
const rowBytes = 400

// perTransaction is how many rows are written at a time.
const perTransaction = 10_000

var bucketName = []byte("rows")

// A store is a bbolt file in a temporary folder. Its rows are domain names with values of [rowBytes].
type store struct {
	dir   string
	db    *bbolt.DB
	empty int  // diskReads when no page of the file was in memory
	sum   byte // of what was read
}

// newStore makes a file of rows 0 to n-1 of a seed. The caller closes it.
func newStore(ctx context.Context, seed uint64, n int) (s *store, err error) {
	s = &store{}
	if s.dir, err = os.MkdirTemp("", "nest-guard-"); err == nil {
		err = s.open()
	}
	if err == nil {
		err = s.batches(ctx, 0, n, func(b *bbolt.Bucket, i int) error {
			value := make([]byte, rowBytes)
			for at := 0; at < rowBytes; at += 8 {
				binary.LittleEndian.PutUint64(value[at:], hashing.Mix64(seed+uint64(i*rowBytes+at)))
			}
			return b.Put([]byte(name(seed, i)), value)
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// name is the key of row i. Rows from the number of all rows on are absent.
func name(seed uint64, i int) string { return measure.Domain(seed%(1<<25) + uint64(i)) }

// open opens the file, and makes it if it is not there. Nothing is forced to the disk while it is open.
func (s *store) open() (err error) {
	s.db, err = bbolt.Open(s.file(), 0o600, &bbolt.Options{NoSync: true})
	return err
}

func (s *store) file() string { return filepath.Join(s.dir, "rows.bolt") }

// memoryShare is how many times larger the file is than the memory that it may have while queries run.
const memoryShare = 20

// bounded keeps the file within its memory: when as many pages were read as fit there, all are dropped. bbolt asks the
// system to read no page ahead, so no more of them are in memory than were read.
func (s *store) bounded() error {
	bytes, err := s.bytes()
	if err != nil || (diskReads()-s.empty)*os.Getpagesize() < bytes/memoryShare {
		return err
	}
	return s.cold()
}

// bytes is the length of the file.
func (s *store) bytes() (int, error) {
	info, err := os.Stat(s.file())
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// cold closes the file, asks the system to drop its pages from memory, and opens it again. Where the system cannot do
// that the next reads are of memory.
func (s *store) cold() error {
	if err := errors.Join(s.db.Close(), dropPages(s.file())); err != nil {
		return err
	}
	s.empty = diskReads()
	return s.open()
}

// batches calls a function for rows from on up to to, in transactions, and brings them to the disk, which a page must
// be on to be dropped.
func (s *store) batches(ctx context.Context, from, to int, do func(b *bbolt.Bucket, i int) error) error {
	for at := from; at < to; at += perTransaction {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucketName)
			for i := at; i < min(to, at+perTransaction) && err == nil; i++ {
				err = do(b, i)
			}
			return err
		})
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
	}
	return s.db.Sync()
}

// get reports whether a row is there, and reads it.
func (s *store) get(key string) (found bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(bucketName).Get([]byte(key))
		found = value != nil
		for _, b := range value {
			s.sum += b
		}
		return nil
	})
	return found, err
}

// each calls a function with every key that is there.
func (s *store) each(do func(key []byte) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketName).ForEach(func(key, _ []byte) error { return do(key) })
	})
}

// close closes the file and removes it.
func (s *store) close() (err error) {
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
