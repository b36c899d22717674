module example.org/outside

go 1.26

require github.com/nestfilter/nest v0.0.0

replace github.com/nestfilter/nest => ../../..
