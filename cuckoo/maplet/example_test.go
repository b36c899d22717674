package maplet_test

import (
	"fmt"
	"log"

	"github.com/nestfilter/nest/cuckoo/maplet"
	"github.com/nestfilter/nest/fingerprint"
)

// An index tells where the records of a log are. It gives candidates, and the record itself says whether it is the one.
func Example() {
	records := []struct{ key, value string }{{"ant", "6 legs"}, {"spider", "8 legs"}, {"snail", "1 foot"}}
	index, err := maplet.New[fingerprint.Bits12](maplet.Config{Capacity: 1000, ValueBits: 36})
	if err != nil {
		log.Fatal(err)
	}
	for place, record := range records {
		if err := index.InsertString(record.key, uint64(place)); err != nil {
			log.Fatal(err) // ErrFull: nothing was lost
		}
	}
	for place := range index.LookupString("spider") {
		if records[place].key == "spider" {
			fmt.Println(records[place].value)
		}
	}
	fmt.Println(index.DeleteString("spider", 1), index.ContainsString("spider"))
	// Output:
	// 8 legs
	// true false
}
