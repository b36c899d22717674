package cpu

// MayAVX512 is mayAVX512 for the tests.
const MayAVX512 = mayAVX512
