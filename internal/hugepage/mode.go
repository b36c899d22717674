package hugepage

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/internal/le"
)

// Mode says which tables ask for large pages. The zero Mode is Auto.
type Mode uint8

const (
	// Auto asks for tables of at least Threshold bytes.
	Auto Mode = iota
	// On asks for every table that can hold a large page: of at least Size bytes.
	On
	// Off never asks.
	Off

	modes // the number of modes
)

const (
	// Size is the number of bytes of a large page on the architectures that have transparent ones
	// by default; where they are larger, smaller tables ask in vain.
	Size = 2 << 20
	// Threshold is the smallest table that Auto asks for. Cuckoo tables of 3 and 6 MiB were read as
	// fast without large pages; of 12 MiB a fifth slower, and a third slower in batches
	// (BenchmarkHugePages, Xeon of model 167). The border was not searched for between: 8 MiB is what
	// 2048 addresses of small pages cover, as many as such processors remember.
	Threshold = 8 << 20
)

var names = [modes]string{"auto", "on", "off"}

// Valid tells whether m is one of the modes.
func (m Mode) Valid() bool { return m < modes }

// String returns auto, on or off.
func (m Mode) String() string {
	if !m.Valid() {
		return fmt.Sprintf("HugePages(%d)", uint8(m))
	}
	return names[m]
}

// Parse returns the mode of a name, as Mode or as the type of a package that shows it.
func Parse[M ~uint8](name string) (M, error) {
	for m, n := range names {
		if n == name {
			return M(m), nil
		}
	}
	return 0, errors.New("want auto, on or off")
}

// asks tells whether a table of that many bytes asks for large pages.
func (m Mode) asks(bytes int) bool {
	switch m {
	case Auto:
		return bytes >= Threshold
	case On:
		return bytes >= Size
	}
	return false
}

// Bytes returns n zero bytes. From 32 KiB on they begin at a multiple of 64, a cache line.
func Bytes(n int, m Mode) []byte {
	b := make([]byte, n)
	if m.asks(n) {
		advise(b)
	}
	return b
}

// Words returns n zero words, aligned as [Bytes].
func Words(n int, m Mode) []uint64 {
	w := make([]uint64, n)
	if m.asks(8 * n) {
		if b, ok := le.Bytes(w); ok {
			advise(b)
		}
	}
	return w
}
