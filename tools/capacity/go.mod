module github.com/nestfilter/nest/tools/capacity

go 1.26.0

replace github.com/nestfilter/nest => ../..

require (
	github.com/nestfilter/nest v0.0.0-00010101000000-000000000000
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dchest/siphash v1.2.3 // indirect
	github.com/dgryski/go-metro v0.0.0-20250106013310-edb8663e5e33 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
)
