// Package catalogue lists the filters under measurement: the six that the paper compares, the counting Bloom filter of its Table 1,
// this module's own default, and filters of one's own. Each has its name, its parameters, a constructor, and loops over its verbs
// that call them directly.
package catalogue
