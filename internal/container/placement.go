package container

import (
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// Additive is the number of the placement additive in files.
const Additive = 4

// removedPlacements are the numbers in files of placements that are no more. No other placement may have them.
var removedPlacements = map[byte]string{0: "additive of an earlier version", 3: "region"}

// RemovedPlacement returns an error, [errs.Version], if the parameter at is the number of a placement that was removed.
func RemovedPlacement(number byte, at int) error {
	if name, was := removedPlacements[number]; was {
		return fmt.Errorf("%w: at byte %d: placement %s, which was removed", errs.Version, ParamsAt+at, name)
	}
	return nil
}
