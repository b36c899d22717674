package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/errs"
)

// a sample has a field of every type.
type sample struct {
	yes  bool
	n    int
	seed uint64
	rate float64
	word string
	side side
	hash hashing.Hasher
}

func (c *sample) fields() []Field {
	return []Field{
		Plain("Yes", "yes", &c.yes), Int("N", "n", &c.n, 0, 9), Plain("Seed", "seed", &c.seed),
		Rate("Rate", "rate", &c.rate),
		Plain("Word", "word", &c.word), Hash(&c.hash),
		Choice("Side", "side", &c.side, side.MarshalText, (*side).UnmarshalText),
	}
}

// A side has names.
type side uint8

var sides = Enum{Package: "pkg", Name: "Side", Names: []string{"left", "middle", "right"}}

func (s side) MarshalText() ([]byte, error)     { return sides.Marshal(uint8(s)) }
func (s *side) UnmarshalText(text []byte) error { return sides.Unmarshal(text, (*uint8)(s)) }

// TestText_RoundTrip writes and reads every type of field.
func TestText_RoundTrip(t *testing.T) {
	secret := hashing.SipHash([16]byte{1})
	for _, c := range []sample{
		{}, {yes: true}, {n: -3}, {rate: 1e-7}, {word: "a/b=c d%"}, {side: 2}, {hash: hashing.Metro64(8)},
		{false, 5, 1 << 63, .25, "x", 1, secret},
	} {
		got := sample{hash: secret}
		if c.hash == nil {
			got.hash = nil
		}
		text := Text(c.fields())
		if err := Read("pkg", text, &got, (*sample).fields); err != nil || got != c {
			t.Errorf("%+v became %q and then %+v, %v", c, text, got, err)
		}
	}
	for _, text := range []string{
		"n", "n=", "n=1/n=1", "x=1", "rate=1..", "seed=-1", "hash=", "yes=maybe", "side=top", "hash=" + secret.Recipe(),
	} {
		c := sample{n: 7}
		err := Read("pkg", "seed=5/"+text, &c, (*sample).fields)
		if !errors.Is(err, errs.Config) || !strings.HasPrefix(err.Error(), "pkg: ") || c != (sample{n: 7}) {
			t.Errorf("%q: %v, %+v", text, err, c)
		}
	}
}

// TestEnum_SaysWhatThereIs has a number and a name that are none.
func TestEnum_SaysWhatThereIs(t *testing.T) {
	c := sample{side: 3}
	p := Problems{Package: "pkg"}
	if p.Check(c.fields()); p.Err() == nil ||
		p.Err().Error() != "pkg: invalid configuration: Side is 3, want left, middle or right" {
		t.Error(p.Err())
	}
	if err := Read("pkg", "side=top", &c, (*sample).fields); err == nil ||
		err.Error() != `pkg: invalid configuration: side=top: unknown side "top", want left, middle or right` {
		t.Error(err)
	}
}
