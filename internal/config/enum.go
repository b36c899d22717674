package config

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/internal/errs"
)

// An Enum is the text of a type of numbers that have names: the number of a name is where it stands.
type Enum struct {
	Package Package
	Name    string // of the type
	Names   []string
}

// String returns the name of a number.
func (e *Enum) String(n uint8) string {
	if int(n) >= len(e.Names) {
		return fmt.Sprintf("%s(%d)", e.Name, n)
	}
	return e.Names[n]
}

// Marshal returns the name of a number. A number without a name is errs.Config.
func (e *Enum) Marshal(n uint8) ([]byte, error) {
	if int(n) >= len(e.Names) {
		return nil, e.Package.Errorf(errs.Config, "%s(%d), want %s", e.Name, n, orList(e.Names))
	}
	return []byte(e.Names[n]), nil
}

// Unmarshal sets n to the number of a name. An unknown name is errs.Config.
func (e *Enum) Unmarshal(name []byte, n *uint8) error {
	at := slices.Index(e.Names, string(name))
	if at < 0 {
		return e.Package.Errorf(errs.Config,
			"unknown %c%s %q, want %s", e.Name[0]|0x20, e.Name[1:], name, orList(e.Names))
	}
	*n = uint8(at)
	return nil
}
