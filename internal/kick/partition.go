package kick

import (
	"slices"
	"sync"
	"sync/atomic"
)

// bulk is the state of one bulk insert.
type bulk struct {
	e       *Engine
	far     bool // the table is mostly not in a core's own cache, and can be fetched ahead
	shift   uint // a bucket's piece is bucket >> shift
	pieces  int
	workers int
	round   int      // 0 while digests are put, and then that of the items
	scratch []uint64 // items, by pieces
	begins  []int    // where those of a piece begin in scratch, and behind the last where they end
	kept    []int    // how many items stand where those of a piece began
	counts  [][]int  // of each worker, for each piece
}

// minPieceBits is the least size of a piece. A write to a piece's last lane takes up to 8 bytes, of which all but
// the first may be its neighbor's; they must end before the neighbor does, because the piece behind that one
// is worked on at the same time.
const minPieceBits = 64

func newBulk(e *Engine, slab, workers, pieceBytes int) *bulk {
	b := &bulk{e: e, workers: max(workers, 1), scratch: make([]uint64, slab), far: IsFar(len(e.Table.Data()))}
	for bits := e.Table.BucketBits(); bits<<b.shift < minPieceBits || bits<<(b.shift+1) <= 8*uint64(pieceBytes); {
		b.shift++
	}
	b.pieces = int((e.Table.Buckets()-1)>>b.shift) + 1
	b.begins, b.kept = make([]int, b.pieces+1), make([]int, b.pieces)
	b.counts = make([][]int, b.workers)
	for w := range b.counts {
		b.counts[w] = make([]int, b.pieces)
	}
	return b
}

// block is a number of digests whose items are computed together.
const block = 128

// partition writes digests, as items, or items to scratch, by pieces, and within a piece in their order. There
// must be no more of them than scratch has room for.
func (b *bulk) partition(xs []uint64) {
	share := (len(xs) + b.workers - 1) / b.workers
	of := func(w int) []uint64 { return xs[min(w*share, len(xs)):min((w+1)*share, len(xs))] }
	b.parallel(func(w int) { b.count(of(w), b.counts[w]) })
	at := 0
	for piece := range b.pieces {
		for _, counts := range b.counts {
			n := counts[piece]
			counts[piece] = at
			at += n
		}
		b.begins[piece+1] = at
	}
	b.parallel(func(w int) { b.scatter(of(w), b.counts[w]) })
}

// count counts how many of xs each piece has.
func (b *bulk) count(xs []uint64, counts []int) {
	var memory [block]uint64
	clear(counts)
	for xs := range slices.Chunk(xs, block) {
		for _, item := range b.items(xs, &memory) {
			counts[b.bucket(item)>>(b.shift&63)]++
		}
	}
}

// scatter writes xs to scratch, those of a piece from next[piece] on.
func (b *bulk) scatter(xs []uint64, next []int) {
	var memory [block]uint64
	for xs := range slices.Chunk(xs, block) {
		for _, item := range b.items(xs, &memory) {
			piece := b.bucket(item) >> (b.shift & 63)
			b.scratch[next[piece]] = item
			next[piece]++
		}
	}
}

// inPiece returns the items of a piece.
func (b *bulk) inPiece(piece int) []uint64 { return b.scratch[b.begins[piece]:b.begins[piece+1]] }

// collect appends the items that were kept, piece by piece, and counts the kick that each of them is.
func (b *bulk) collect(to []uint64) []uint64 {
	before := len(to)
	for piece, kept := range b.kept {
		to = append(to, b.inPiece(piece)[:kept]...)
	}
	b.e.Stats.Kicks += uint64(len(to) - before)
	return to
}

// parallel calls do once for every worker and waits.
func (b *bulk) parallel(do func(w int)) {
	var wait sync.WaitGroup
	for w := 1; w < b.workers; w++ {
		wait.Go(func() { do(w) })
	}
	do(0)
	wait.Wait()
}

// each calls do for every piece, for neighbors never at the same time, and waits.
func (b *bulk) each(do func(piece int)) {
	for odd := range 2 {
		var taken atomic.Int64
		b.parallel(func(int) {
			for piece := odd; piece < b.pieces; {
				if piece = 2*int(taken.Add(1)-1) + odd; piece < b.pieces {
					do(piece)
				}
			}
		})
	}
}
