package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFiles_AreAsGenerated(t *testing.T) {
	files, err := generate("../..")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate -C tools ./keyverbs writes (%v)", name, err)
		}
	}
}

// sample has what a type can bring along.
const sample = `package cuckoo

func (f *Filter[F]) Hash(h uint64) bool { return false }
func (f *Filter[F]) ContainsHash(h uint64) bool { return false }
func (f *Filter[F]) AddHash(h, old, v uint64, force bool) (added bool, err error) { return false, nil }
func (f *Filter[F]) DropHash(h uint64) {}
func (f *Filter[F]) Drop(key []byte) {}
func (f *Filter[F]) openHash(h uint64) {}
func (f *Filter[F]) NoHash() {}
func (f *Filter[F]) ContainsHashes(hs []uint64, dst []bool) {}
func (o *Other) CountHash(h uint64) int { return 0 }
`

func TestWrite_TakesVerbsOfTheTypeAlone(t *testing.T) {
	dir := t.TempDir()
	if _, err := read(dir); err == nil {
		t.Error("an empty directory is no error")
	}
	if _, err := generate(dir); err == nil {
		t.Error("a repository without the packages is no error")
	}
	for name, text := range map[string]string{"a.go": sample, fileName: "not Go", "a_test.go": "not Go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p.write(&out, "Filter", "Public", ".hash.Sum64")
	p.writeBatches(&out, "Filter", "Public", ".hash.Sum64")
	for _, want := range []string{
		"// ContainsString is [Public.ContainsHash] of the key's digest.",
		"d, ok := f.hash.Of16(); ok {\n\t\t\treturn f.ContainsHash(d.Sum64((*[16]byte)(key)))\n",
		"func (f *Filter[F]) ContainsString(key string) bool { return f.ContainsHash(f.hash.Sum64String(key)) }",
		"func (f *Filter[F]) ContainsStrings(keys []string, dst []bool) {\n\tvar hs [256]uint64",
		"func (f *Filter[F]) AddString(key string, old, v uint64, force bool) (added bool, err error) {" +
			" return f.AddHash(f.hash.Sum64String(key), old, v, force) }",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if n := strings.Count(out.String(), "func "); n != 6 {
		t.Errorf("%d verbs, want 6:\n%s", n, &out)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("package sample\nfunc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := read(dir); err == nil {
		t.Error("a file that is not Go is no error")
	}
}
