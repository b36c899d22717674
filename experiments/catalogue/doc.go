// Package catalogue is the list of the filters under measurement: those of the paper's tables, the cuckoo filter with breadth-first search, and
// filters of one's own. Each entry has the name and the style that it has in every table and chart, its parameters, a constructor, and
// loops over its verbs that call them directly.
package catalogue
