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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !ok || !isOwn(r.Host, local.String(), given) {
			http.Error(w, "this server does not answer under that name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwn tells whether the Host of a request names the server: local is where its connection came in.
func isOwn(host, local string, given []string) bool {
	_, port, err := net.SplitHostPort(local)
	return err == nil && slices.ContainsFunc(slices.Concat(given, []string{local, "localhost:"}), func(own string) bool {
		name, _, _ := net.SplitHostPort(own)
		own = net.JoinHostPort(name, port)
		return name != "" && (strings.EqualFold(host, own) || port == "80" && strings.EqualFold(host+":80", own))
	})
}
