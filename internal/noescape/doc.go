// Package noescape hides a byte slice from escape analysis for the duration of one call, so that a
// key on the caller's stack stays there although a user's Hasher is reached through an interface.
//
// The callee must not keep the slice: that is part of the contract of hashing.Hasher.
// Under the build tag purego the slice is copied instead, which allocates.
package noescape
