package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// someShards returns n shards, some of them grown and the last empty.
func someShards(t *testing.T, n int) *wire.Shards {
	t.Helper()
	s, err := wire.NewShards(n, rediscf.Config{Capacity: 64})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 100 * n {
		h := rediscf.DigestString(fmt.Sprint("key ", k))
		if wire.Shard(h, n) == n-1 {
			continue
		}
		if err := s.AddHash(h); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestReadDumps_RoundTrip writes and reads shards, and a single filter.
func TestReadDumps_RoundTrip(t *testing.T) {
	s := someShards(t, 5)
	var file bytes.Buffer
	n, err := s.WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatal(n, file.Len(), err)
	}
	f, got, err := wire.ReadDumps(bytes.NewReader(file.Bytes()), rediscf.Limits{})
	if err != nil || f != nil || got.N() != 5 || got.Len() != s.Len() {
		t.Fatal(f, got, err)
	}
	total := 0
	for i := range 5 {
		if !equal(s.Filter(i), got.Filter(i)) {
			t.Errorf("shard %d differs", i)
		}
		total += int(s.Filter(i).Info().Size) - 40 - 16*s.Filter(i).Info().Filters
	}
	// 576 bytes for each sub-filter after the first are part of the limit.
	for i := range 5 {
		total += 576 * (s.Filter(i).Info().Filters - 1)
	}
	if _, _, err := wire.ReadDumps(bytes.NewReader(file.Bytes()), rediscf.Limits{Bytes: total}); err != nil {
		t.Error(err)
	}
	if _, _, err := wire.ReadDumps(bytes.NewReader(file.Bytes()), rediscf.Limits{Bytes: total / 2}); !errors.Is(err,
		rediscf.ErrTooLarge) {
		t.Error(err)
	}
	file.Reset()
	if _, err := wire.WriteDump(&file, s.Filter(0)); err != nil {
		t.Fatal(err)
	}
	f, got, err = wire.ReadDumps(&file, rediscf.Limits{})
	if err != nil || got != nil || !equal(f, s.Filter(0)) {
		t.Error(err)
	}
}

// TestReadDumps_Damaged cuts a file of shards at every byte, changes every byte, and puts more behind it.
func TestReadDumps_Damaged(t *testing.T) {
	var file bytes.Buffer
	if _, err := someShards(t, 2).WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	for n := range whole {
		if _, _, err := wire.ReadDumps(bytes.NewReader(whole[:n]), rediscf.Limits{}); !errors.Is(err,
			wire.ErrTooShort) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 0x10
		if f, s, err := wire.ReadDumps(bytes.NewReader(changed), rediscf.Limits{}); err == nil || f != nil || s != nil {
			t.Fatalf("changed at %d: %v", n, err)
		}
	}
	if _, _, err := wire.ReadDumps(bytes.NewReader(append(bytes.Clone(whole), 0)), rediscf.Limits{}); !errors.Is(err,
		rediscf.ErrCorrupt) {
		t.Error(err)
	}
	for _, n := range []uint32{0, wire.MaxShards + 1, 1<<32 - 1} {
		changed := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(changed[8:], n)
		if _, _, err := wire.ReadDumps(bytes.NewReader(changed), rediscf.Limits{}); !errors.Is(err,
			rediscf.ErrCorrupt) {
			t.Errorf("%d shards: %v", n, err)
		}
	}
}

// TestInfoShards asks for all, one too few and one too many.
func TestInfoShards(t *testing.T) {
	s := someShards(t, 4)
	server := wiretest.NewServer()
	if err := wire.PushShards(t.Context(), server.Conn(), "people", s, wire.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := wire.InfoShards(t.Context(), server.Conn(), "people", 4)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for i := range 4 {
		if list[i] != s.Filter(i).Info() {
			t.Errorf("shard %d: %v", i, list[i])
		}
	}
	if _, err := wire.InfoShards(t.Context(), server.Conn(), "people", 3); !errors.Is(err, rediscf.ErrExists) {
		t.Error(err)
	}
	if _, err := wire.InfoShards(t.Context(), server.Conn(), "people", 5); !errors.Is(err, rediscf.ErrNotFound) {
		t.Error(err)
	}
}
