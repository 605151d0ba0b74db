package livepage

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/kvbench/kvbench/web"
)

// guard lets nobody in but who knows the secret of the address. Other users of the machine can reach the port, and so can the pages
// that the user's browser shows.
type guard struct {
	host   string // with its port, as it stands in the address
	secret string
	next   http.Handler
}

// newSecret has 256 bits.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails: https://pkg.go.dev/crypto/rand#Read
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func (g *guard) address() string { return "http://" + g.host + "/" + g.secret + "/" }

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", web.LivePolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	// A name that somebody else lets lead to this machine is another host. A page of another site tells its origin, and so does each that
	// changes something.
	origin := r.Header.Get("Origin")
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	if r.Host != g.host || (origin != "" || changes) && origin != "http://"+g.host {
		http.Error(w, "This page is for the browser that kubectl kvbench open has opened.", http.StatusForbidden)
		return
	}
	given, rest, below := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(given), []byte(g.secret)) != 1 {
		http.Error(w, "Open the page with the whole address that kubectl kvbench open prints.", http.StatusForbidden)
		return
	}
	if !below { // what the page loads is below it
		http.Redirect(w, r, g.address(), http.StatusSeeOther)
		return
	}
	r.URL.Path, r.URL.RawPath = "/"+rest, ""
	g.next.ServeHTTP(w, r)
}
