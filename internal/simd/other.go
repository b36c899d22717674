//go:build !amd64 || purego || race

package simd

// Available tells whether there is a kernel for this processor.
const Available = false

func contains(*Probe, []byte, []uint64, []bool) {}

func locate(*Probe, []byte, []uint64, []uint64, []uint64) {}

func containsPrefixes(*PrefixProbe, []byte, []uint64, []bool) {}

func containsAged(*AgedProbe, []byte, []uint64, []bool) {}

func containsFuse(*FuseProbe, int, []byte, []uint64, []bool) {}

func mixAll(*Mixer, []uint64, []uint64) {}
