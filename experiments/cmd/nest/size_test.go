package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/size"
)

func TestSize_Prints(t *testing.T) {
	stdout, err := executeOne(t, newSizeCommand(), "", "--keys", "1e6", "--fpr", "0.001", "--delete")
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

func TestSize_JSON(t *testing.T) {
	stdout, err := executeOne(t, newSizeCommand(), "", "--keys", "1_000", "--fpr", ".01", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var r size.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.Spec.Keys != 1000 || r.Spec.FPR != 0.01 || len(r.Plans) != 9 || r.Plans[0].Bytes < 1000 || r.Code == "" || len(r.Reasons) < 3 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{`"filter": "bloom k=`, `"placement": "xor"`, `"placement": "additive"`, `"deletes": true`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is not in\n%s", want, stdout)
		}
	}
}

func TestSize_BadInput(t *testing.T) {
	for _, c := range []struct{ keys, fpr, want string }{
		{"", "0.01", `--keys: "": want`},
		{"0", "0.01", `--keys: "0": want`},
		{"-3", "0.01", `--keys: "-3": want`},
		{"1.5", "0.01", `--keys: "1.5": want`},
		{"NaN", "0.01", `--keys: "NaN": want`},
		{"many", "0.01", `--keys: "many": want`},
		{"1e30", "0.01", `--keys: "1e30": too many`},
		{"99999999999999999999", "0.01", `too many`},
		{"+Inf", "0.01", `--keys: "+Inf": too many`},
		{"1000", "", `--fpr: "": want`},
		{"1000", "0", `--fpr: "0": want`},
		{"1000", "1", `--fpr: "1": want`},
		{"1000", "-0.5", `--fpr: "-0.5": want`},
		{"1000", "NaN", `--fpr: "NaN": want`},
		{"1000000", "1e-15", "the lowest reachable rate is 5.42e-14"},
	} {
		stdout, err := executeOne(t, newSizeCommand(), "", "--keys="+c.keys, "--fpr="+c.fpr)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("--keys %q --fpr %q: %v, want one line with %q", c.keys, c.fpr, err, c.want)
		}
	}
}
