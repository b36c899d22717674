package rediscf

import "testing"

// TestAllocs_Zero holds that no verb of one key allocates, with the key on the caller's stack, and a
// batch neither; with one sub-filter and with several, on the way of a refusal and of a compaction too.
func TestAllocs_Zero(t *testing.T) {
	large := mustNew(t, Config{Capacity: 1 << 16})
	full := mustNew(t, Config{Capacity: 64, Expansion: NoGrowth})
	for k := range 64 {
		_ = full.AddHash(uint64(k) * 0x9e3779b97f4a7c15) // until it is full
	}
	n := 0
	key := func() [8]byte {
		n++
		return [8]byte{byte(n), byte(n >> 8), byte(n >> 16)}
	}
	results := make([]Result, 2)
	check := func(name string, f func()) {
		t.Helper()
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	for name, f := range map[string]*Filter{"one": large, "several": grown(t)} {
		check(name+" Add, Del", func() {
			k := key()
			_ = f.Add(k[:]) // an error would allocate
			f.Del(k[:])
		})
		check(name+" AddNX, Del", func() {
			k := key()
			_, _ = f.AddNX(k[:])
			f.DelString(string(k[:4]))
			f.Del(k[:])
		})
		check(name+" Exists, Count", func() {
			k := key()
			f.Exists(k[:])
			f.Count(k[:])
			f.ExistsString(string(k[:]))
			f.CountString(string(k[:]))
		})
		check(name+" Insert", func() {
			a, b := key(), key()
			_, _ = f.Insert([][]byte{a[:], b[:]}, results, InsertOptions{})
			f.Del(a[:])
			f.Del(b[:])
		})
	}
	check("refused", func() { _ = full.AddHash(uint64(n) << 40) })
}
