// Package law has the formulas that experiments compare with: false-positive rates and bits per item of filters, where the lines
// of two filters cross, and the load factor that no way of inserting passes.
package law
