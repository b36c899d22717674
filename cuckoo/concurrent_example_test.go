package cuckoo_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// A service that adds keys and asks for them at once. The server calls the handlers from as many goroutines as there are requests,
// and they need no lock.
func ExampleConcurrent() {
	seen, err := cuckoo.NewConcurrent[fingerprint.Bits16](cuckoo.Config{Capacity: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /keys/{key}", func(w http.ResponseWriter, r *http.Request) {
		added, err := seen.InsertUniqueString(r.PathValue("key"))
		switch {
		case errors.Is(err, cuckoo.ErrFull):
			http.Error(w, err.Error(), http.StatusInsufficientStorage)
		case added:
			w.WriteHeader(http.StatusCreated)
		}
	})
	mux.HandleFunc("GET /keys/{key}", func(w http.ResponseWriter, r *http.Request) {
		if !seen.ContainsString(r.PathValue("key")) {
			http.NotFound(w, r)
		}
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
		_, _ = seen.WriteTo(w) // while others go on
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	var clients sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 8 {
		clients.Go(func() {
			for n := range 20 {
				status := request(http.MethodPut, fmt.Sprintf("%s/keys/%d", server.URL, n))
				mu.Lock()
				answers[status]++
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	fmt.Println(answers["201 Created"], "added,", answers["200 OK"], "known")
	fmt.Println(request(http.MethodGet, server.URL+"/keys/7"))
	fmt.Println(request(http.MethodGet, server.URL+"/keys/unknown"))
	fmt.Println(seen.Len(), "keys")
	// Output:
	// 20 added, 140 known
	// 200 OK
	// 404 Not Found
	// 20 keys
}

// request returns the status of an answer.
func request(method, url string) string {
	r, err := http.NewRequest(method, url, strings.NewReader(""))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.Status
}
