package bloomcore

import (
	"math"

	"github.com/nestfilter/nest/internal/container"
)

// A Layout says where the cells of a key lie in a table.
type Layout uint8

const (
	Unmade       Layout = iota // that of the zero Table, which has no cells
	Bits                       // a cell is a bit, and those of a key lie anywhere
	Counters                   // a cell has several bits, and those of a key lie anywhere
	Blocks                     // a cell is a bit, and those of a key lie in a block of BlockBits
	SplitBlocks                // a cell is a bit, and a key has one in each lane of a block of SplitBits
	SharedBlocks               // Blocks that goroutines share: see shared.go
)

// Layouts are types of no size whose length is a layout, or 0 for the one that the table says. Code that is generic
// over them has no branch for other layouts.
type Layouts interface {
	~[0]struct{} | ~[Bits]struct{} | ~[Counters]struct{} | ~[Blocks]struct{} | ~[SplitBlocks]struct{} |
		~[SharedBlocks]struct{}
}

// layoutOf returns the layout of a table, given that of its type.
func layoutOf(t *Table, ofType int) Layout {
	if ofType != 0 {
		return Layout(ofType)
	}
	return t.Layout
}

// A Kind is what sets one filter of this family apart from the others.
type Kind struct {
	Name       string // of its type
	Layout     Layout
	Rate       Model
	File       container.Type
	Block      uint64 // cells of a block, or 1 where there are none
	MostBlocks uint64 // or 0 where memory alone limits them
	Hashes     int    // where that is no choice
	CellBits   []uint // the widths of cells that there are
}

// The kinds of filters that have such a table.
var (
	Classic = Kind{Name: "Filter", Layout: Bits, Rate: Rate, File: container.Bloom, Block: 1, CellBits: []uint{1}}
	Blocked = Kind{
		Name: "Blocked", Layout: Blocks, Rate: BlockedRate, File: container.BlockedBloom,
		Block: BlockBits, MostBlocks: MaxBlocks, CellBits: []uint{1},
	}
	Split = Kind{
		Name: "SplitBlock", Layout: SplitBlocks, Rate: SplitRate, File: container.SplitBlock,
		Block: SplitBits, MostBlocks: MaxBlocks, Hashes: SplitLanes, CellBits: []uint{1},
	}
	Concurrent = Kind{
		Name: "Concurrent", Layout: SharedBlocks, Rate: BlockedRate, File: container.BlockedBloom,
		Block: BlockBits, MostBlocks: MaxBlocks, CellBits: []uint{1},
	}
	Counting = Kind{
		Name: "Filter", Layout: Counters, Rate: Rate, File: container.Counting, Block: 1, CellBits: []uint{2, 4, 8, 16},
	}
)

// kinds has the kind of each layout.
var kinds = [...]*Kind{
	Bits: &Classic, Counters: &Counting, Blocks: &Blocked, SplitBlocks: &Split, SharedBlocks: &Concurrent,
}

// KindOf returns the kind of a layout.
func KindOf[L Layouts]() *Kind {
	var l L
	return kinds[len(l)]
}

// begin makes the zero Table one of 64 bytes, for its first key. Keys that goroutines gave to it are not known: then it
// has every key.
func (t *Table) begin(l Layout) {
	kind := kinds[l]
	width, had := kind.CellBits[len(kind.CellBits)/3], t.unmade // a bit, or counters of 4 bits
	*t = kind.New(Table{
		Slots: BlockBits / uint64(width), Hashes: SplitLanes, CellBits: width, Hash: t.Hash, MaxBytes: t.MaxBytes,
	})
	if t.Keys = uint64(had); had != 0 {
		for i := range t.Words {
			t.Words[i] = math.MaxUint64
		}
	}
}
