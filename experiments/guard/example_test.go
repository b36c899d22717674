package guard_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// A crawler keeps the pages it has seen in a file, and asks the file only if the filter says that a page may be there.
func Example_urls() {
	db, done := openStore()
	defer done()
	seen, err := cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: 100_000})
	check(err)
	reads := 0
	visit := func(url string) (added bool, err error) {
		err = db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("rows"))
			if seen.ContainsString(url) {
				if reads++; b.Get([]byte(url)) != nil {
					return nil
				}
			}
			if added = true; seen.InsertString(url) != nil {
				return cuckoo.ErrFull
			}
			return b.Put([]byte(url), []byte("200 OK"))
		})
		return added, err
	}
	for _, url := range []string{"example.org/a", "example.org/b", "example.org/a", "example.org/c"} {
		added, err := visit(url)
		check(err)
		fmt.Println(url, added)
	}
	fmt.Println("reads of the file:", reads)
	// Output:
	// example.org/a true
	// example.org/b true
	// example.org/a false
	// example.org/c true
	// reads of the file: 1
}

// A spam list loses entries too. The filter deletes with it, so that a sender who was struck off costs no read.
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
