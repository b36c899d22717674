package versus

import (
	"github.com/nestfilter/nest/bloom/bitsandblooms"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/experiments/filtertest"
)

// foreignAdapter is a filter of ours in another module's table.
func foreignAdapter(format foreign.Format) filtertest.Adapter {
	a := filtertest.Adapter{Name: "foreign " + format.String(), Full: filtertest.Refuses, CapacityIsTarget: true, AllocFree: true}
	a.New = func(capacity int) (*filtertest.Filter, error) {
		f, err := foreign.New(foreign.Config{Format: format, Capacity: capacity})
		if err != nil {
			return nil, err
		}
		return wrapForeign(f), nil
	}
	return a
}

func wrapForeign(f *foreign.Filter) *filtertest.Filter {
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { return f.Insert(key) == nil },
		Contains: f.Contains, Delete: f.Delete, Count: f.Count, Len: f.Len, Rate: f.FalsePositiveRate,
		Slots: f.Slots, SizeBytes: f.SizeBytes, Reset: f.Reset,
		State: func() ([]byte, error) { return f.Encode(), nil },
		Clone: func() *filtertest.Filter { return wrapForeign(f.Clone()) },
		Strings: &filtertest.Strings{
			Insert:   func(key string) bool { return f.InsertString(key) == nil },
			Contains: f.ContainsString, Delete: f.DeleteString, Count: f.CountString,
		},
	}
}

// bitsAdapter is our filter in the table of bits-and-blooms, sized as that module does for one in a hundred.
var bitsAdapter = filtertest.Adapter{
	Name: "bitsandblooms", TargetRate: askedRate, Full: filtertest.Absorbs, AllocFree: true,
	New: func(capacity int) (*filtertest.Filter, error) {
		f, err := bitsandblooms.New(bitsandblooms.Config{Slots: 10 * capacity, Hashes: 7})
		if err != nil {
			return nil, err
		}
		return wrapOurBits(f), nil
	},
}

func wrapOurBits(f *bitsandblooms.Filter) *filtertest.Filter {
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { f.Insert(key); return true },
		Contains: f.Contains, Len: f.Len,
		Rate:  func() float64 { return f.ScanStats().FalsePositiveRate },
		Slots: f.Slots, SizeBytes: f.SizeBytes, Reset: f.Reset,
		State: func() ([]byte, error) { return f.Encode(), nil },
		Clone: func() *filtertest.Filter { return wrapOurBits(f.Clone()) },
		Strings: &filtertest.Strings{
			Insert:   func(key string) bool { f.InsertString(key); return true },
			Contains: f.ContainsString,
		},
	}
}
