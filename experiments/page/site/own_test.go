package site

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestIsOwn_Names goes through hosts of a server at a port, some of which other machines give themselves.
func TestIsOwn_Names(t *testing.T) {
	for _, c := range []struct {
		host, local, name string // name is none if empty
		want              bool
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", "", true},
		{"localhost:8080", "127.0.0.1:8080", "", true},
		{"LOCALHOST:8080", "127.0.0.1:8080", "", true},
		{"[::1]:8080", "[::1]:8080", "", true},
		{"192.0.2.7:8080", "192.0.2.7:8080", "0.0.0.0", true},
		{"lab.example:8080", "192.0.2.7:8080", "Lab.example", true},
		{"[::]:8080", "[::1]:8080", "::", true},
		{"localhost", "127.0.0.1:80", "", true},
		{"[::1]", "[::1]:80", "", true},
		{"evil.example:8080", "127.0.0.1:8080", "", false},
		{"evil.example", "127.0.0.1:80", "", false},
		{"localhost.evil.example:8080", "127.0.0.1:8080", "", false},
		{"127.0.0.1:8081", "127.0.0.1:8080", "", false},
		{"127.0.0.1", "127.0.0.1:8080", "", false},
		{"192.0.2.7:8080", "127.0.0.1:8080", "", false},
		{":8080", "127.0.0.1:8080", "", false},
		{"", "127.0.0.1:8080", "", false},
		{"", "", "", false},
	} {
		if got := isOwn(c.host, c.local, []string{net.JoinHostPort(c.name, "0")}); got != c.want {
			t.Errorf("%q at %q, called %q: %v", c.host, c.local, c.name, got)
		}
	}
}

// TestOwn_RefusesOtherNames asks a server under its own name and under that of another, and with other methods than
// GET and HEAD.
func TestOwn_RefusesOtherNames(t *testing.T) {
	server := httptest.NewServer(Own(newSite([]byte("program"), []byte("support")), "127.0.0.1:0"))
	defer server.Close()
	for _, c := range []struct {
		method, host string
		status       int
	}{
		{"GET", "", http.StatusOK},
		{"HEAD", "", http.StatusOK},
		{"GET", "evil.example", http.StatusMisdirectedRequest},
		{"GET", "evil.example:80", http.StatusMisdirectedRequest},
		{"POST", "evil.example", http.StatusMisdirectedRequest},
		{"POST", "", http.StatusMethodNotAllowed},
		{"OPTIONS", "", http.StatusMethodNotAllowed},
		{"DELETE", "", http.StatusMethodNotAllowed},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		allow, refused := answer.Header.Get("Allow"), c.status == http.StatusMethodNotAllowed
		if answer.StatusCode != c.status || (allow == "GET, HEAD") != refused {
			t.Errorf("%s of %q: %s, Allow %q", c.method, c.host, answer.Status, allow)
		}
	}
}
