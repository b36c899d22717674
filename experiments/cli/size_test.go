package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/advice"
)

func TestSize_Prints(t *testing.T) {
	stdout, err := executeOne(t, newSizeCommand(), "", "--n", "1e6", "--fpr", "0.001", "--delete")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1,000,000 keys", "with deletes", "Take cuckoo f=13 b=4 additive", "counting bloom",
		"bloom: cannot delete", "cuckoo.New[fingerprint.Bits13](cuckoo.Config{Capacity: 1_000_000})"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

func TestSize_UnknownKeys(t *testing.T) {
	for _, args := range [][]string{{"--fpr", "0.001"}, {"--fpr", "0.001", "--delete"}} {
		stdout, err := executeOne(t, newSizeCommand(), "", args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"any number of keys", "Take cuckoo.Scalable f=18", "doublings", "cuckoo.NewScalable[fingerprint.Bits18]"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: %q is not in\n%s", args, want, stdout)
			}
		}
	}
	stdout, err := executeOne(t, newSizeCommand(), "", "--fpr", "0.01", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var g advice.Growing
	if err := json.Unmarshal([]byte(stdout), &g); err != nil || g.Width != 15 || len(g.Rows) < 6 || g.Code == "" {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestSize_JSON(t *testing.T) {
	stdout, err := executeOne(t, newSizeCommand(), "", "--n", "1_000", "--fpr", ".01", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var r advice.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.Spec.Keys != 1000 || r.Spec.FPR != 0.01 || len(r.Plans) != 17 || r.Plans[0].Bytes < 1000 || r.Code == "" || len(r.Reasons) < 3 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{`"filter": "bloom k=`, `"placement": "xor"`, `"placement": "additive"`, `"deletes": true`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is not in\n%s", want, stdout)
		}
	}
}

// priced are flags that measure a dozen small filters, in about a second.
var priced = []string{"--n", "2000", "--bits", "12", "--miss-cost", "80us", "--negative", "0.9"}

func TestSize_Prices(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a second or two")
	}
	stdout, err := executeOne(t, newSizeCommand(), "", priced...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2000 random 64-bit integers, a miss costs 80 us, 90% of lookups", "Take ", "split-block bloom", "price", "func newFilter() ("} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

func TestSize_PricesKeysOfAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a second or two")
	}
	var keys strings.Builder
	for i := range 500 {
		fmt.Fprintf(&keys, "user%d@example.org\n", i)
	}
	file := writeKeys(t, t.TempDir(), "keys.txt", keys.String()+"\nuser1@example.org\n")
	stdout, err := executeOne(t, newSizeCommand(), "", "--keys", file, "--fpr", "0.01", "--miss-cost", "5ms", "--delete-rate", "0.5", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Keys   int     `json:"keys"`
		HashNs float64 `json:"hash_ns"`
		Rows   []struct {
			Plan struct {
				Deletes bool `json:"deletes"`
			} `json:"plan"`
			Price  float64 `json:"price_ns"`
			Delete float64 `json:"delete_ns"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatal(err)
	}
	if a.Keys != 500 || a.HashNs <= 0 || len(a.Rows) < 8 {
		t.Errorf("%+v", a)
	}
	for _, r := range a.Rows {
		if !r.Plan.Deletes || r.Price <= 0 || r.Delete <= 0 {
			t.Errorf("%+v", r)
		}
	}
}

// What contradicts itself or makes no sense is one line that names the flags, and nothing is written.
func TestSize_BadPrices(t *testing.T) {
	dir := t.TempDir()
	empty := writeKeys(t, dir, "empty.txt", "\n\n")
	for _, c := range []struct {
		args, want string
	}{
		{"--n 10 --miss-cost -1us", "the cost of a miss is -1000 ns"},
		{"--n 10 --miss-cost 80", `"80" for "--miss-cost" flag`},
		{"--n 10 --miss-cost soon", `"soon" for "--miss-cost" flag`},
		{"--n 10 --miss-cost 1us --negative 1.5", "the share of absent keys is 1.5"},
		{"--n 10 --miss-cost 1us --negative NaN", "the share of absent keys is NaN"},
		{"--n 10 --miss-cost 1us --delete-rate -1", "-1"},
		{"--n 10 --miss-cost 1us --delete-rate +Inf", "+Inf"},
		{"--n 10 --miss-cost 1us --fpr 0.1 --bits 8", "[bits fpr] were all set"},
		{"--n 10 --miss-cost 1us --bits 0", "--bits: 0: want"},
		{"--n 10 --miss-cost 1us --bits NaN", "--bits: NaN: want"},
		{"--n 10 --bits 8", "give --miss-cost too"},
		{"--n 10 --fpr 0.1 --negative 0.5", "--negative: it is a part of the price"},
		{"--n 10 --fpr 0.1 --batch", "--batch: it is a part of the price"},
		{"--n 10 --fpr 0.1 --delete-rate 1", "--delete-rate: it is a part of the price"},
		{"--n 10 --keys " + empty + " --miss-cost 1us", "[keys n] were all set"},
		{"--keys " + empty + " --miss-cost 1us", "no keys"},
		{"--keys " + dir + "/missing --miss-cost 1us", "missing: no such file"},
		{"--miss-cost 1us", "say how many keys"},
		{"--n 1000000 --miss-cost 1us --fpr 1e-30", "FalsePositiveRate is 1e-30"},
		{"--out " + dir + "/a.gif", "want a name that ends in .png"},
		{"--out " + dir + "/none/a.png", "no such folder"},
		{"--out " + dir + "/a.png --fpr 0.1", "--fpr: it is a part of the price"},
		{"--out " + dir + "/a.png --n 10", "--n: it is a part of the price"},
		{"--out " + dir + "/a.png --json", "[json out] were all set"},
		{"--fpr 1e-12", "no filter keeps a rate of 1e-12"},
		{"--keys 1e6 --fpr 0.1", "a number of keys is --n 1e6"},
	} {
		stdout, err := executeOne(t, newSizeCommand(), "", strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%s: %v, want one line with %q", c.args, err, c.want)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
}

func TestSize_BadInput(t *testing.T) {
	for _, c := range []struct{ keys, fpr, want string }{
		{"", "0.01", `invalid argument "" for "--n" flag: want a whole number`},
		{"0", "0.01", `invalid argument "0" for "--n" flag: want a whole number`},
		{"-3", "0.01", `invalid argument "-3" for "--n" flag: want a whole number`},
		{"1.5", "0.01", `invalid argument "1.5" for "--n" flag: want a whole number`},
		{"NaN", "0.01", `invalid argument "NaN" for "--n" flag: want a whole number`},
		{"many", "0.01", `invalid argument "many" for "--n" flag: want a whole number`},
		{"1e30", "0.01", `"1e30" for "--n" flag: want a whole number from 1 to 2^40`},
		{"99999999999999999999", "0.01", `"--n" flag: want`},
		{"+Inf", "0.01", `"+Inf" for "--n" flag: want`},
		{"1000", "", `--fpr: "": want`},
		{"1000", "0", `--fpr: "0": want`},
		{"1000", "1", `--fpr: "1": want`},
		{"1000", "-0.5", `--fpr: "-0.5": want`},
		{"1000", "NaN", `--fpr: "NaN": want`},
		{"1e6,1e7", "0.1", `"--n" flag: want`},
		{"1000000", "1e-15", "the lowest reachable rate is 5.42e-14"},
	} {
		stdout, err := executeOne(t, newSizeCommand(), "", "--n="+c.keys, "--fpr="+c.fpr)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("--n %q --fpr %q: %v, want one line with %q", c.keys, c.fpr, err, c.want)
		}
	}
}
