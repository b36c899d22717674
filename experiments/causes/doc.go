// Package causes tries out what may be behind the numbers of the cuckoo-filter paper (Fan et al., CoNEXT 2014) that this module's filters do
// not have. Each part is a supposition that can be computed or simulated by itself, without the filters:
//
//   - [Table]: which values of narrow fingerprints, and which offsets between buckets, give the cliffs of figure 2.
//   - [Block]: which double hashing inside a block gives the false-positive rate of blocked Bloom filters in Table 3.
//   - [DLeft]: which division of a cell gives that of d-left counting Bloom filters there.
//
// A supposition that gives the paper's number is not shown to be the authors'. One that does not is refuted.
package causes
