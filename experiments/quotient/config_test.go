package quotient

import (
	"errors"
	"strings"
	"testing"
)

func TestNew_ReportsEveryProblem(t *testing.T) {
	for want, c := range map[string]Config{
		"QuotientBits is 0, RemainderBits is 62, MaxLoad is 1.5": {RemainderBits: 62, MaxLoad: 1.5},
		"QuotientBits is 41, RemainderBits is 0, MaxLoad is 0":   {QuotientBits: 41},
		"RemainderBits is 61": {QuotientBits: 4, RemainderBits: 61, MaxLoad: 1},
		"QuotientBits is 40":  {QuotientBits: 40, RemainderBits: 9, MaxLoad: 1},
	} {
		f, err := New(c)
		if f != nil || !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		for _, problem := range strings.Split(want, ", ") {
			if !strings.Contains(err.Error(), "quotient: invalid configuration: "+problem+", ") {
				t.Errorf("%+v: nothing about %s in %q", c, problem, err)
			}
		}
	}
}

func TestAllocs_Zero(t *testing.T) {
	f := mustNew(t, Config{QuotientBits: 10, RemainderBits: 9, MaxLoad: 0.9})
	full := mustNew(t, Config{QuotientBits: 1, RemainderBits: 8, MaxLoad: 0.5})
	hs, dst := []uint64{1, 2, 3}, make([]bool, 3)
	if n := testing.AllocsPerRun(100, func() {
		_, _ = f.InsertHash(7), full.InsertHash(7)
		f.ContainsHash(7)
		f.ContainsHashes(hs, dst)
		f.DeleteHash(7)
		f.Reads(7, func(int, int) {})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if f.SizeBytes() != 8*(12<<10/64+1) || f.Capacity() != 921 {
		t.Errorf("%d bytes, %d keys", f.SizeBytes(), f.Capacity())
	}
}
