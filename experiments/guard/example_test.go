package guard_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"go.etcd.io/bbolt"
)

// A spam list in a file, which is asked only if the filter says that a sender may be there. The list loses entries too,
// and the filter deletes with it, so that a sender who was struck off costs no read.
func Example_spam() {
	db, done := openStore()
	defer done()
	listed, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: 100_000})
	check(err)
	change := func(do func(b *bbolt.Bucket) error) {
		check(db.Update(func(tx *bbolt.Tx) error { return do(tx.Bucket([]byte("rows"))) }))
	}
	for _, domain := range []string{"pills.example", "lottery.example"} {
		change(func(b *bbolt.Bucket) error { return b.Put([]byte(domain), []byte("reported")) })
		check(listed.InsertString(domain))
	}
	change(func(b *bbolt.Bucket) error { return b.Delete([]byte("lottery.example")) })
	listed.DeleteString("lottery.example") // it was inserted: nothing else is denied

	for _, domain := range []string{"pills.example", "lottery.example", "friend.example"} {
		if !listed.ContainsString(domain) {
			fmt.Println(domain, "is not listed: no read")
			continue
		}
		err := db.View(func(tx *bbolt.Tx) error {
			fmt.Printf("%s is %s\n", domain, tx.Bucket([]byte("rows")).Get([]byte(domain)))
			return nil
		})
		check(err)
	}
	// Output:
	// pills.example is reported
	// lottery.example is not listed: no read
	// friend.example is not listed: no read
}

// openStore makes a file with an empty bucket in a temporary folder, and returns what removes it.
func openStore() (*bbolt.DB, func()) {
	dir, err := os.MkdirTemp("", "nest-guard-example-")
	check(err)
	db, err := bbolt.Open(filepath.Join(dir, "rows.bolt"), 0o600, nil)
	check(err)
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("rows"))
		return err
	})
	check(err)
	return db, func() { check(errors.Join(db.Close(), os.RemoveAll(dir))) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
