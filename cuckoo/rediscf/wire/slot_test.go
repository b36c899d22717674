package wire_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire/wiretest"
)

// TestSlot_KnownKeys has the check value of CRC-16/XMODEM, and the keys that Redis's documentation of
// CLUSTER KEYSLOT and of tags names.
func TestSlot_KnownKeys(t *testing.T) {
	for key, want := range map[string]int{
		"123456789": 0x31c3, "somekey": 11058, "foo{hash_tag}": 2515, "bar{hash_tag}": 2515, "hash_tag": 2515, "": 0,
	} {
		if got := wire.Slot(key); got != want {
			t.Errorf("%q is in slot %d, want %d", key, got, want)
		}
	}
	for _, same := range [][2]string{
		{"{user1000}.following", "{user1000}.followers"}, {"foo{{bar}}zap", "{bar"}, {"foo{bar}{zap}", "bar"},
		{"{a}", "a"},
	} {
		if wire.Slot(same[0]) != wire.Slot(same[1]) {
			t.Errorf("%q are not in one slot", same)
		}
	}
	if wire.Slot("foo{}{bar}") == wire.Slot("bar") || wire.Slot("a}b{c") == wire.Slot("c") {
		t.Error("there is no tag in foo{}{bar} and a}b{c")
	}
}

// TestPush_TemporaryKeyInTheSameSlot names keys with tags, without, and with half of one.
func TestPush_TemporaryKeyInTheSameSlot(t *testing.T) {
	f := filled(t, rediscf.Config{}, 3)
	seen := map[string]bool{}
	for _, key := range []string{"plain", "with {a tag} in it", "", "{}", "a}b", "}", "{", "a{b", "{}{b}", "a{}b}",
		"{x", "\xff\x00", "filter:{7}", strings.Repeat("long", 100)} {
		s := wiretest.NewServer()
		c := wire.Conn(s.Conn())
		conn := func(ctx context.Context, commands [][]any) ([]any, error) {
			for _, args := range commands {
				used := args[1].(string)
				if args[0] == "MODULE" {
					continue
				}
				if wire.Slot(used) != wire.Slot(key) {
					t.Errorf("%q is in slot %d, the temporary key %q in %d", key, wire.Slot(key), used, wire.Slot(used))
				}
				if strings.Contains(key, "a tag") && !strings.HasPrefix(used, key) {
					t.Errorf("%q has a tag, and the temporary key is %q", key, used)
				}
				seen[used] = true
			}
			return c(ctx, commands)
		}
		if err := wire.Push(t.Context(), conn, key, f, wire.PushOptions{}); err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		holds(t, s, key, f)
	}
	if len(seen) != 2*14 {
		t.Errorf("%d keys, want two of each push", len(seen))
	}
}
