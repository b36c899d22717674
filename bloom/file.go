package bloom

import (
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// file is what the errors of this file begin with.
const file = container.Package(pkg)

// cellBits are the widths of a cell that the filters of this package have: a cell is a bit.
var cellBits = []uint{1}

// The types of file that the filters of this package are stored as.
var (
	classicFile    = bloomcore.FileKind{Type: container.Bloom, Granule: classic.granule, Cells: cellBits}
	blockedFile    = bloomcore.FileKind{Type: container.BlockedBloom, Granule: blocked.granule, Most: blocked.most, Cells: cellBits}
	splitBlockFile = bloomcore.FileKind{
		Type: container.SplitBlock, Granule: splitBlock.granule, Most: splitBlock.most, Hashes: bloomcore.SplitLanes, Cells: cellBits,
	}
)
