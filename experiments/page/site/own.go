package site

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// Own is next for requests that name the server's own address: localhost, or the address at which the connection came
// in, or one of those given, such as lab.example:8080 and [::]:8080, each with the server's port. Other requests get
// status 421. A page elsewhere can give its own name the address of this machine and then ask in the name of its
// visitor (DNS rebinding), but its requests still carry its name.
func Own(next http.Handler, given ...string) http.Handler {
	var names []string
	for _, address := range given {
		if name, _, err := net.SplitHostPort(address); err == nil && name != "" {
			names = append(names, name)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !ok || !isOwn(r.Host, local.String(), names) {
			http.Error(w, "this server does not answer under that name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwn tells whether the Host of a request names the server: local is where its connection came in, and names are
// other names of the server.
func isOwn(host, local string, names []string) bool {
	address, port, err := net.SplitHostPort(local)
	if err != nil {
		return false
	}
	own := []string{net.JoinHostPort(address, port), net.JoinHostPort("localhost", port)}
	for _, name := range names {
		own = append(own, net.JoinHostPort(name, port))
	}
	host = strings.ToLower(host)
	return slices.ContainsFunc(own, func(o string) bool {
		o = strings.ToLower(o)
		return host == o || port == "80" && host+":80" == o
	})
}
