package counting_test

import (
	"testing"

	"github.com/nestfilter/nest/counting"
)

// TestHugePages_StayInForce: the choice is no part of a file, so the one of the receiver stays, in clones too.
func TestHugePages_StayInForce(t *testing.T) {
	auto := must(t, counting.Config{Counters: 100, Hashes: 2})
	off := must(t, counting.Config{Counters: 70, Hashes: 3, HugePages: counting.HugePagesOff})
	b, err := auto.MarshalBinary()
	if err != nil || off.UnmarshalBinary(b) != nil || !off.Equal(auto) {
		t.Fatalf("%v is not %v: %v", off, auto, err)
	}
	if got := off.Clone().Config().HugePages; got != counting.HugePagesOff {
		t.Errorf("Filter: HugePages is %v", got)
	}
	v, err := counting.OpenView(b)
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := v.Config(); c != auto.Config() {
		t.Errorf("the view of %v says %v", auto, c)
	}

	dauto := mustDLeft(t, counting.DLeftConfig{Buckets: 10, RemainderBits: 10})
	doff := mustDLeft(t, counting.DLeftConfig{Buckets: 7, RemainderBits: 12, HugePages: counting.HugePagesOff})
	if b, err = dauto.MarshalBinary(); err != nil || doff.UnmarshalBinary(b) != nil || !doff.Equal(dauto) {
		t.Fatalf("%v is not %v: %v", doff, dauto, err)
	}
	if got := doff.Clone().Config().HugePages; got != counting.HugePagesOff {
		t.Errorf("DLeft: HugePages is %v", got)
	}
}
