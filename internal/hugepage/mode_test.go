package hugepage

import "testing"

// TestMode_Asks has the sizes around both limits.
func TestMode_Asks(t *testing.T) {
	for _, c := range []struct {
		bytes         int
		auto, on, off bool
	}{
		{0, false, false, false},
		{Size - 1, false, false, false},
		{Size, false, true, false},
		{Threshold - 1, false, true, false},
		{Threshold, true, true, false},
		{1 << 30, true, true, false},
	} {
		if Auto.asks(c.bytes) != c.auto || On.asks(c.bytes) != c.on || Off.asks(c.bytes) != c.off || modes.asks(c.bytes) {
			t.Errorf("%d bytes: auto %t, on %t, off %t", c.bytes, Auto.asks(c.bytes), On.asks(c.bytes), Off.asks(c.bytes))
		}
	}
}
