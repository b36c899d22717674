package bloomcore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/memory"
)

// The parameters of a file: the number of cells in 8 bytes, then the number of hashes and the width of a
// cell in one byte each.
const (
	cellsAt    = 0
	hashesAt   = 8
	cellBitsAt = 9
)

// Image returns the table as a file.
func (k *Kind) Image(t *Table) (m container.Image, err error) {
	t = t.still()
	if t.Layout == Unmade {
		return m, fmt.Errorf("%w: the zero filter is none to store", errs.Config)
	}
	m.Type, m.Len, m.Hash = k.File, uint64(t.Len()), t.Hash.Recipe()
	binary.LittleEndian.PutUint64(m.Params[cellsAt:], t.Slots)
	m.Params[hashesAt], m.Params[cellBitsAt] = byte(t.Hashes), byte(t.CellBits)
	m.Concurrent = k.Layout == SharedBlocks
	m.Parts = []container.Part{{Words: t.Words}}
	return m, nil
}

// Load returns the table of a file. Its hash may be that of own, which also says how much memory is allowed.
func (k *Kind) Load(s *container.Source, own *Table) (Table, error) {
	s.Know(own.Hash.Hasher())
	t, err := k.shape(&s.Header)
	if err != nil {
		return Table{}, err
	}
	if t.MaxBytes, err = s.Limit(s.TableBytes, own.MaxBytes); err != nil {
		return Table{}, err
	}
	if t.Words, err = s.Words(int(t.words())); err == nil {
		err = s.Finish()
	}
	if err != nil {
		return Table{}, err
	}
	return k.arranged(t), t.checkEnd(s.Size())
}

// View returns the table of a file over the file's bytes or, in builds that do not see bytes as words, a copy of it.
func (k *Kind) View(v *container.View) (Table, error) {
	t, err := k.shape(&v.Header)
	if err != nil {
		return Table{}, err
	}
	var inPlace bool
	if t.Words, inPlace = memory.AsWords(v.Table); !inPlace {
		t.Words = make([]uint64, t.words())
		for i := range t.Words {
			t.Words[i] = binary.LittleEndian.Uint64(v.Table[8*i:])
		}
	}
	return k.arranged(t), nil
}

// shape returns the table that a header describes, without its words.
func (k *Kind) shape(h *container.Header) (t Table, err error) {
	if err := h.Want(k.File); err != nil {
		return t, err
	}
	p := h.Params
	t.Slots, t.Hashes, t.CellBits = binary.LittleEndian.Uint64(p[cellsAt:]), int(p[hashesAt]), uint(p[cellBitsAt])
	wrong := func(at int, format string, args ...any) (Table, error) {
		return Table{}, container.Corrupt(container.ParamsAt+at, format, args...)
	}
	switch {
	case container.Params(append(p[:cellBitsAt+1:cellBitsAt+1], make([]byte, len(p)-cellBitsAt-1)...)) != p:
		return wrong(cellBitsAt+1, "bytes of the header that mean nothing are not 0")
	case !slices.Contains(k.CellBits, t.CellBits):
		return wrong(cellBitsAt, "cells of %d bits", t.CellBits)
	case t.Slots == 0 || t.Slots%k.Block != 0 || k.MostBlocks != 0 && t.Slots/k.Block > k.MostBlocks:
		return wrong(cellsAt, "%d cells", t.Slots)
	case t.Hashes < 1 || t.Hashes > MaxHashes || k.Hashes != 0 && t.Hashes != k.Hashes:
		return wrong(hashesAt, "%d hashes", t.Hashes)
	case h.Kick != "":
		return wrong(0, "a kick policy, which a %v has not", k.File)
	case t.words() > math.MaxInt64/8 || h.TableBytes != 8*t.words():
		return wrong(cellsAt, "%d cells in a table of %d bytes", t.Slots, h.TableBytes)
	case t.Slots > math.MaxInt || h.TableBytes > math.MaxInt || h.Len > math.MaxInt:
		return t, fmt.Errorf("%w: %d cells and Len %d, which do not fit into an int", errs.TooLarge, t.Slots, h.Len)
	}
	t.Keys = h.Len
	hasher, err := h.Hasher()
	t.Hash = hashing.NewDigester(hasher)
	return t, err
}

// checkEnd returns an errs.Corrupt if bits behind the last cell are not 0. The table begins at a byte of the file.
func (t *Table) checkEnd(from int) error {
	last := len(t.Words) - 1
	if used := t.Slots * uint64(t.CellBits) & 63; used != 0 && t.Words[last]>>used != 0 {
		return container.Corrupt(uint64(from)+8*uint64(last), "bits behind the last cell are not 0")
	}
	return nil
}
