package memory_test

import (
	"bytes"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

type summer interface{ sum(b []byte) int }

type bySize struct{ n int }

func (s *bySize) sum(b []byte) int { s.n += len(b); return s.n + int(b[0]) }

// through calls an implementation that escape analysis cannot see.
//
//go:noinline
func through(s summer, b []byte) int { return s.sum(memory.Hide(b)) }

func TestBytes_SameContent(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("a"), []byte("hello, world")} {
		if got := memory.Hide(b); !bytes.Equal(got, b) || len(got) != len(b) {
			t.Errorf("Bytes(%q) = %q", b, got)
		}
	}
}

func TestAllocs_Zero(t *testing.T) {
	if !memory.HidesFree {
		t.Skip("this build copies")
	}
	s := &bySize{}
	if n := testing.AllocsPerRun(100, func() {
		var key [16]byte
		key[0] = 7
		through(s, key[:])
	}); n != 0 {
		t.Errorf("a key on the stack escaped: %v allocations", n)
	}
}

// set stores in v through a variable that escape analysis cannot see through.
var set = func(v *int) { *v = 7 }

func TestHidePointer_KeepsVariableOnStack(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		var v int
		if set(memory.HidePointer(&v)); v != 7 {
			t.Error("another variable was set")
		}
	}); n != 0 && memory.HidesFree {
		t.Errorf("a variable on the stack escaped: %v allocations", n)
	}
}
