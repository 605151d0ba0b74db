// Package pages serves the live page from the results server itself, for an installation that has an Ingress with an authenticating
// proxy before it. The page is nobody's secret. What it asks for needs the caller's rights, and it only reads.
package pages

import (
	"net/http"

	"github.com/kvbench/kvbench/web"
)

// session says to the page that its server speaks to no cluster.
const session = `{"namespace":"","cluster":false}` + "\n"

// Register adds the page's routes.
func Register(mux *http.ServeMux) {
	for pattern, of := range map[string]struct {
		kind    string
		content []byte
	}{
		"GET /{$}":          {"text/html; charset=utf-8", web.LiveFrame},
		"GET /live.js":      {"text/javascript; charset=utf-8", web.LiveScript},
		"GET /page.css":     {"text/css; charset=utf-8", web.Style},
		"GET /session.json": {"application/json", []byte(session)},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			header := w.Header()
			header.Set("Content-Type", of.kind)
			header.Set("Content-Security-Policy", web.LivePolicy)
			header.Set("X-Content-Type-Options", "nosniff")
			header.Set("Referrer-Policy", "no-referrer")
			header.Set("Cache-Control", "no-cache")
			_, _ = w.Write(of.content) // the browser has gone
		})
	}
}
