package secret_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// TestSipHash_DrawsKeys draws keys that differ, and makes the same hasher of the key that is kept.
func TestSipHash_DrawsKeys(t *testing.T) {
	seen := map[[16]byte]bool{}
	for range 100 {
		drawn := secret.SipHash()
		seen[drawn.Key()] = true
		d := hashing.NewDigester(drawn)
		for _, again := range []hashing.Hasher{hashing.SipHash(drawn.Key()), d.Hasher()} {
			if k, ok := again.(hashing.Keyed); !ok || k.Key() != drawn.Key() || again.Recipe() != drawn.Recipe() || again.Sum64String("x") != drawn.Sum64String("x") {
				t.Fatalf("%v is not %v", again, drawn)
			}
		}
		if text := fmt.Sprintf("%v %+v %#v %s %x %d", drawn, drawn, drawn, drawn, drawn, drawn); strings.Contains(text, fmt.Sprintf("%x", drawn.Key())) {
			t.Fatalf("printed with its key: %s", text)
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d different keys of 100", len(seen))
	}
}

func TestNew_MakesEveryName(t *testing.T) {
	for _, name := range hashing.Names() {
		h, err := secret.New(name)
		if err != nil || h.Name() != name {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
	if h, err := secret.New("md5"); h != nil || !errors.Is(err, hashing.ErrUnknown) {
		t.Errorf("md5: %v, %v", h, err)
	}
}
