package hashing

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

func TestDigester_ZeroAndNilAreXXH3(t *testing.T) {
	var zero Digester
	fromNil := NewDigester(nil)
	for _, d := range []*Digester{&zero, &fromNil} {
		if got, want := d.Sum64String("key"), XXH3(0).Sum64String("key"); got != want {
			t.Errorf("Sum64String = %#x, want %#x", got, want)
		}
		if d.Recipe() != "xxh3:0" || d.Hasher() != XXH3(0) {
			t.Errorf("Recipe = %q, Hasher = %v", d.Recipe(), d.Hasher())
		}
	}
}

func TestDigester_ReturnsItsHasher(t *testing.T) {
	for _, h := range append(builtins(), wordSum{5}, DigestsOnly) {
		d := NewDigester(h)
		c := d // a copy computes the same
		if c.Hasher() != h || c.Recipe() != h.Recipe() {
			t.Errorf("Digester of %s has Hasher %v, recipe %q", h.Recipe(), c.Hasher(), c.Recipe())
		}
	}
}

func TestDigestsOnly_PanicsWithAdvice(t *testing.T) {
	d := NewDigester(DigestsOnly)
	for name, verb := range map[string]func(){
		"Sum64":       func() { d.Sum64(nil) },
		"Sum64String": func() { d.Sum64String("key") },
		"Sum64Uint64": func() { d.Sum64Uint64(1) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "hashing: ") || !strings.Contains(got, "Hash verbs") {
					t.Errorf("%s panics with %q", name, got)
				}
			}()
			verb()
		}()
	}
}

// TestAllocs_Zero: keys made on the caller's stack stay there, in every form a caller writes.
func TestAllocs_Zero(t *testing.T) {
	long := strings.Repeat("0123456789", 7) // more than the 32 bytes that the compiler copies to the stack
	longer := strings.Repeat(long, 10)
	for _, h := range append(builtins(), &wordSum{5}) {
		d := NewDigester(h)
		if d.kind == kindUser && !memory.HidesFree {
			continue // documented: this build copies
		}
		var sum uint64
		for form, f := range map[string]func(){
			"stack":  func() { var key [70]byte; key[3] = 1; sum += d.Sum64(key[:]) },
			"bytes":  func() { sum += d.Sum64([]byte(long[:20])) },
			"string": func() { sum += d.Sum64String(long) },
			"longer": func() { sum += d.Sum64String(longer) },
			"made":   func() { var key [20]byte; key[3] = 1; sum += d.Sum64String(string(key[:])) },
			"uint64": func() { sum += d.Sum64Uint64(sum) },
		} {
			if form == "longer" && d.kind == kindSipHash && !memory.HidesFree {
				continue // documented too
			}
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", h.Recipe(), form, n)
			}
		}
	}
}

// TestSipHash_FmtHidesTheKey prints the Hasher and things that hold it with every verb.
func TestSipHash_FmtHidesTheKey(t *testing.T) {
	h := SipHash(sipKey)
	d := NewDigester(h)
	mapped := NewDigester(MapHash())
	holders := []any{h, &h, d, &d, struct{ H Hasher }{h}, struct{ h Hasher }{h}, struct{ d Digester }{d}, []Hasher{h}, mapped}
	leaks := []string{
		fmt.Sprint(d.seal.k0), fmt.Sprint(d.seal.k1), fmt.Sprintf("%x", d.seal.k0), fmt.Sprintf("%x", d.seal.k1),
		fmt.Sprintf("%x", sipKey[:8]), fmt.Sprintf("%x", sipKey[8:]), strings.Trim(fmt.Sprint(sipKey[:8]), "[]"),
		strings.Trim(fmt.Sprintf("%+v", mapped.seal.seed), "{}s:"),
	}
	for _, holder := range holders {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			text := strings.ToLower(fmt.Sprintf(verb, holder))
			for _, leak := range leaks {
				if strings.Contains(text, leak) {
					t.Errorf("%s of %T shows the secret: %s", verb, holder, text)
				}
			}
		}
	}
	if got, want := fmt.Sprint(h), h.Recipe(); got != want {
		t.Errorf("%%v prints %q, want the recipe %q", got, want)
	}
}

// TestDigester_ConcurrentUse is for the race detector.
func TestDigester_ConcurrentUse(t *testing.T) {
	for _, h := range append(builtins(), wordSum{5}) {
		d := NewDigester(h)
		key := []byte(sanityBuffer(50))
		want := d.Sum64(key)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 200 {
					if got := d.Sum64(key); got != want {
						t.Errorf("%s: %#x in a goroutine, want %#x", h.Recipe(), got, want)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestOf16_IsSum64(t *testing.T) {
	for _, h := range append(builtins(), &wordSum{5}, DigestsOnly, XXH3(-xxh3Of9&(1<<64-1))) {
		d := NewDigester(h)
		for i := range 100 {
			key := [16]byte([]byte(sanityBuffer(16 + i)[i:]))
			s, ok := d.Of16()
			if ok != (h.Name() == "xxh3" && d.seed != -xxh3Of9&(1<<64-1)) || ok && s.Sum64(&key) != d.Sum64(key[:]) {
				t.Fatalf("%s: Of16: %#x of %x, %t", h.Recipe(), s.Sum64(&key), key, ok)
			}
		}
	}
	if _, ok := new(Digester).Of16(); ok {
		t.Error("the zero Digester has Of16")
	}
}
