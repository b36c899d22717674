// Package panels has experiments that the paper lacks: buckets of every size, copies of a key, kick policies, the cost of an insert,
// space by the number of keys, filters beyond their capacity, hash families, and growth.
package panels
