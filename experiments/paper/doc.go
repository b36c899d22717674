// Package paper has an experiment for each table and figure of "Cuckoo Filter: Practically Better Than Bloom" (Fan, Andersen,
// Kaminsky, Mitzenmacher, CoNEXT 2014).
package paper
