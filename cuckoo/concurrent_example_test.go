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
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// The server, filter and database of ExampleConcurrent_guard, with how often the database was asked.
var (
	server  = http.NewServeMux()
	users   *cuckoo.Concurrent[fingerprint.Bits16]
	queries int
)

func query(http.ResponseWriter, *http.Request) { queries++ }

// A guard before a database: for names that are certainly absent nobody asks it.
func ExampleConcurrent_guard() {
	server.HandleFunc("GET /users/{name}", func(w http.ResponseWriter, r *http.Request) {
		if users.ContainsString(r.PathValue("name")) {
			query(w, r) // it may be there: ask the database
		} else {
			http.NotFound(w, r) // it was never inserted: no query
		}
	})
	// Output:
}

// TestConcurrent_Guard asks the handler of the example for a name that is there and for one that is not.
func TestConcurrent_Guard(t *testing.T) {
	var err error
	if users, err = cuckoo.NewConcurrent[fingerprint.Bits16](cuckoo.Config{Capacity: 1000}); err != nil {
		t.Fatal(err)
	}
	if err := users.InsertString("alice"); err != nil {
		t.Fatal(err)
	}
	server, queries = http.NewServeMux(), 0
	ExampleConcurrent_guard()
	for name, status := range map[string]int{"alice": http.StatusOK, "bob": http.StatusNotFound} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/users/"+name, nil))
		if w.Code != status {
			t.Errorf("%s: status %d, want %d", name, w.Code, status)
		}
	}
	if queries != 1 {
		t.Errorf("the database was asked %d times, want once", queries)
	}
	server = http.NewServeMux() // for the example itself
}

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
