package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/advice"
)

func TestSize_Prints(t *testing.T) {
	stdout, _ := says(t, exitOK, "", "", "size", "--n", "1e6", "--fpr", "0.001", "--delete")
	has(t, stdout, "1,000,000 keys", "with deletes", "Take cuckoo f=13 b=4 additive", "counting bloom",
		"bloom: cannot delete", `s.Set("kind=cuckoo/capacity=1000000/fpr=0.001/b=4")`)
	for _, more := range []string{"--delete=false", "--delete"} {
		stdout, _ = says(t, exitOK, "", "", "size", "--fpr", "0.001", more)
		has(t, stdout, "any number of keys", "Take cuckoo.Scalable f=18", "doublings", `s.Set("kind=scalable/fpr=0.001")`)
	}
}

func TestSize_JSON(t *testing.T) {
	stdout, _ := says(t, exitOK, "", "", "size", "--fpr", "0.01", "--json")
	var g advice.Growing
	if err := json.Unmarshal([]byte(stdout), &g); err != nil || g.Width != 15 || len(g.Rows) < 6 || g.Code == "" {
		t.Errorf("%+v, %v", g, err)
	}
	stdout, _ = says(t, exitOK, "", "", "size", "--n", "1_000", "--fpr", ".01", "--json")
	var r advice.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Spec.Keys != 1000 || r.Spec.FPR != 0.01 ||
		len(r.Plans) != 17 || r.Plans[0].Bytes < 1000 || r.Code == "" || len(r.Reasons) < 3 {
		t.Errorf("%+v, %v", r, err)
	}
	has(t, stdout, `"filter": "bloom k=`, `"placement": "xor"`, `"deletes": true`)
}

func TestSize_Prices(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a second or two")
	}
	line := "size --n 2000 --bits 12 --miss-cost 80us --negative 0.9" // a dozen small filters
	stdout, _ := says(t, exitOK, "", "", strings.Fields(line)...)
	has(t, stdout, "2000 random 64-bit integers, a miss costs 80 us, 90% of lookups", "Take ", "split-block bloom", "price",
		"func newFilter() (")
	var keys strings.Builder
	for i := range 500 {
		fmt.Fprintf(&keys, "user%d@example.org\n", i)
	}
	file := writeKeys(t, t.TempDir(), "keys.txt", keys.String()+"\nuser1@example.org\n")
	stdout, _ = says(t, exitOK, "", "", "size", "--keys", file, "--fpr", "0.01", "--miss-cost", "5ms", "--delete", "--json")
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
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || a.Keys != 500 || a.HashNs <= 0 || len(a.Rows) < 8 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, r := range a.Rows {
		if !r.Plan.Deletes || r.Price <= 0 || r.Delete <= 0 {
			t.Errorf("%+v", r)
		}
	}
}
