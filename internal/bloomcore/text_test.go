package bloomcore

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// TestText_RoundTrip writes and reads every type of field.
func TestText_RoundTrip(t *testing.T) {
	type config struct {
		n    int
		rate float64
		hash hashing.Hasher
	}
	fields := func(c *config) []Field {
		return []Field{{"n", &c.n}, {"rate", &c.rate}, {"hash", &c.hash}}
	}
	secret := hashing.SipHash([16]byte{1})
	for _, c := range []config{
		{}, {n: -3}, {rate: 1e-7}, {hash: hashing.Metro64(8)}, {5, .25, secret},
	} {
		var got config
		text := Text(fields(&c))
		if err := ParseText("pkg", text, fields(&got), []hashing.Hasher{secret}); err != nil || got != c {
			t.Errorf("%+v became %q and then %+v, %v", c, text, got, err)
		}
	}
	for _, text := range []string{"n", "n=", "n=1/n=1", "x=1", "rate=1..", "hash=", "hash=" + secret.Recipe()} {
		var c config
		if err := ParseText("pkg", text, fields(&c), nil); !errors.Is(err, errs.Config) || !strings.HasPrefix(err.Error(), "pkg: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
