package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/advice"
	"github.com/nestfilter/nest/experiments/must"
)

const plotted = "filter,n,ns\nbloom,1000,20\nbloom,2000,25\ncuckoo,1000,8\ncuckoo,2000,9\n"

func TestChart_EveryFormat(t *testing.T) {
	dir := t.TempDir()
	file := writeKeys(t, dir, "times.csv", plotted)
	for ending, start := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
		out := filepath.Join(dir, "picture."+ending)
		says(t, exitOK, out+"\n", "a series for each filter", "chart", file, "--out", out, "--size",
			"16x9", "--title", "Times", "--x", "n", "--y", "ns")
		if text := readAll(t, out); !strings.HasPrefix(text, start) {
			t.Errorf("%s: %.20q", ending, text)
		}
	}
	_, stderr := says(t, exitOK, "", "A point is one row", "chart", file, "--out", filepath.Join(dir, "x.svg"), "--x", "n",
		"--y", "ns", "--series", "filter", "--where", "n=1000", "--logx", "--logy=false")
	if strings.Count(stderr, "\n") != 1 {
		t.Errorf("all is named, and yet it says %s", stderr)
	}
}

func TestChart_StandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	status, stdout, _ := execute(t, "BenchmarkA/n=1-8 10 5 ns/op\nBenchmarkA/n=2-8 10 7 ns/op\n", "chart", "-")
	if status != exitOK || stdout != "stdin-chart.png\n" {
		t.Errorf("status %d, %s", status, stdout)
	}
}

func TestTrace_DefaultShowsAPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 { // the second time replaces the file
		stdout, _ := says(t, exitOK, "", "", "trace", "--force", "-o", "path.svg")
		has(t, stdout, "cuckoo.Filter{buckets=8 f=12 b=2 ", "   kick 2       ", "   fingerprint  ")
	}
	picture := readAll(t, "path.svg")
	if !strings.HasPrefix(picture, "<svg ") || !strings.HasSuffix(picture, "</svg>\n") {
		t.Errorf("%q", picture)
	}
	holds(t, ".", "path.svg")
}

// Keys come from the arguments and then from the file; repeated arguments count.
func TestTrace_KeysAndRefusals(t *testing.T) {
	status, stdout, stderr := execute(t, "\xffbinary\r\n\n<b>", "trace", "--buckets", "1", "--b", "2", "--keys", "-", "twice", "twice", "")
	has(t, stdout, "1. insert \"twice\"", "2. insert \"twice\"", "3. insert \"\"\n", `4. insert "\xffbinary"`,
		"5. insert \"<b>\"", "nothing changed")
	if status != exitOK || strings.Count(stdout, "refused") != 3 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	status, stdout, _ = execute(t, numberedLines(16), "trace", "--keys", "-")
	if has(t, stdout, "16. insert \"line 16\""); status != exitOK {
		t.Errorf("status %d", status)
	}
}

// numberedLines returns the lines 1 to n.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestSize_Prints(t *testing.T) {
	stdout, _ := says(t, exitOK, "", "", "size", "--n", "1e6", "--fpr", "0.001", "--delete")
	has(t, stdout, "1,000,000 keys", "with deletes", "Take cuckoo f=13 b=4 additive", "counting bloom",
		"bloom: cannot delete", `s.Set("kind=cuckoo/capacity=1000000/fpr=0.001/mustdelete=true/b=4")`, "newFilter() (nest.Deleter, error)")
	for _, more := range []string{"--delete=false", "--delete"} {
		stdout, _ = says(t, exitOK, "", "", "size", "--fpr", "0.001", more)
		has(t, stdout, "any number of keys", "Take cuckoo.Scalable f=18", "doublings", `s.Set("kind=scalable/fpr=0.001")`)
	}
}

func TestSize_JSON(t *testing.T) {
	stdout, _ := says(t, exitOK, "", "", "size", "--fpr", "0.01", "--json")
	var g advice.Growing
	must.Do(t, json.Unmarshal([]byte(stdout), &g))
	if g.Width != 15 || len(g.Rows) < 6 || g.Code == "" {
		t.Errorf("%+v", g)
	}
	stdout, _ = says(t, exitOK, "", "", "size", "--n", "1_000", "--fpr", ".01", "--json")
	var r advice.Result
	must.Do(t, json.Unmarshal([]byte(stdout), &r))
	if r.Spec.Keys != 1000 || r.Spec.FPR != 0.01 ||
		len(r.Plans) < 18 || r.Plans[0].Bytes < 1000 || r.Code == "" || len(r.Reasons) < 3 {
		t.Errorf("%+v", r)
	}
	has(t, stdout, `"filter": "bloom k=`, `"placement": "xor"`, `"deletes": true`)
}

func TestSize_Prices(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a second or two")
	}
	line := "size --n 2000 --bits 12 --miss-cost 80us --negative 0.9 --delete"
	stdout, _ := says(t, exitOK, "", "", strings.Fields(line)...)
	has(t, stdout, "2000 random 64-bit integers, a miss costs 80 us, 90% of lookups", "Take ", "price", "func newFilter() (nest.Deleter, error)")
	file := writeKeys(t, t.TempDir(), "keys.txt", numberedLines(500)+"\nline 1\n")
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

// TestPage_WritesAFolder and serves it. The address is printed once the page can be asked for; an interrupt ends the
// command in good order.
func TestPage_WritesAndServes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the page is not compiled")
	}
	dir := filepath.Join(t.TempDir(), "lesson")
	says(t, exitOK, "MiB compressed", "", "page", "--out", dir)
	if n := len(strings.Fields(content(t, dir))); n != 3 {
		t.Errorf("%d files", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, sink := io.Pipe()
	ended := make(chan string, 1)
	go func() {
		status, stderr := runOn(ctx, strings.NewReader(""), sink, "page", "--serve")
		ended <- fmt.Sprintf("status %d, %s", status, stderr)
		sink.Close()
	}()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("%s, %v: %s", address, err, <-ended)
	}
	go io.Copy(io.Discard, stdout)
	for host, want := range map[string]int{"": http.StatusOK, "evil.example": http.StatusMisdirectedRequest} {
		request := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(address), nil))(t)
		request.Host = host
		answer := must.Get(http.DefaultClient.Do(request))(t)
		if answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("under the name %q: %v", host, answer.Status)
		}
	}
	cancel()
	has(t, <-ended, "status 0, ", "compressed")
}
