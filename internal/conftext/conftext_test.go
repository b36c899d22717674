package conftext

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
		yes  bool
		n    int
		seed uint64
		rate float64
		hash hashing.Hasher
	}
	secret := hashing.SipHash([16]byte{1})
	fields := func(c *config, known ...hashing.Hasher) []Field {
		return []Field{Bool("yes", &c.yes), Int("n", &c.n), Uint64("seed", &c.seed), Float("rate", &c.rate), Hash("hash", &c.hash, known)}
	}
	for _, c := range []config{
		{}, {yes: true}, {n: -3}, {rate: 1e-7}, {hash: hashing.Metro64(8)}, {false, 5, 1 << 63, .25, secret},
	} {
		var got config
		text := Text(fields(&c))
		if err := Parse("pkg", text, fields(&got, secret)); err != nil || got != c {
			t.Errorf("%+v became %q and then %+v, %v", c, text, got, err)
		}
	}
	for _, text := range []string{"n", "n=", "n=1/n=1", "x=1", "rate=1..", "seed=-1", "hash=", "yes=maybe", "hash=" + secret.Recipe()} {
		var c config
		if err := Parse("pkg", text, fields(&c)); !errors.Is(err, errs.Config) || !strings.HasPrefix(err.Error(), "pkg: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
