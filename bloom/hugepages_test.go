package bloom

import (
	"errors"
	"strings"
	"testing"
)

// TestHugePages_Text reads what it writes, and refuses all else.
func TestHugePages_Text(t *testing.T) {
	for p, name := range []string{"auto", "on", "off"} {
		text, err := HugePages(p).MarshalText()
		read := HugePages(p) + 1
		if err != nil || string(text) != name || HugePages(p).String() != name || read.UnmarshalText(text) != nil || read != HugePages(p) {
			t.Errorf("choice %d: %q, %v, read as %v", p, text, err, read)
		}
	}
	bad := HugePagesOff + 1
	if _, err := bad.MarshalText(); !errors.Is(err, ErrConfig) || bad.String() != "HugePages(3)" {
		t.Errorf("%v: %v", bad, err)
	}
	p := HugePagesOff
	for _, text := range []string{"", "AUTO", "always", "HugePages(3)"} {
		err := p.UnmarshalText([]byte(text))
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "want auto, on or off") || p != HugePagesOff {
			t.Errorf("%q: read as %v, %v", text, p, err)
		}
	}
}
