package livepage

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOnlyTheBrowserThatWasOpenedGetsIn(t *testing.T) {
	secret := newSecret()
	if len(secret) < 40 || secret == newSecret() {
		t.Fatalf("the secret is %q", secret)
	}
	came := ""
	g := &guard{host: "127.0.0.1:8765", secret: secret, next: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came = r.URL.Path })}
	if want := "http://127.0.0.1:8765/" + secret + "/"; g.address() != want {
		t.Errorf("the address is %s, and should be %s", g.address(), want)
	}
	for _, c := range []struct {
		what, path, host, origin string
		in                       string // the path that gets in; "" for none
		method                   string // "" is GET
	}{
		{"the page", "/" + secret + "/", "127.0.0.1:8765", "", "/", ""},
		{"its script", "/" + secret + "/v1/runs/x", "127.0.0.1:8765", "http://127.0.0.1:8765", "/v1/runs/x", ""},
		{"somebody without the secret", "/", "127.0.0.1:8765", "", "", ""},
		{"a begin of the secret", "/" + secret[:20] + "/list.json", "127.0.0.1:8765", "", "", ""},
		{"a wrong secret", "/" + strings.Repeat("a", len(secret)) + "/list.json", "127.0.0.1:8765", "", "", ""},
		{"a name that leads here", "/" + secret + "/", "rebound.example:8765", "", "", ""},
		{"another port", "/" + secret + "/", "127.0.0.1:80", "", "", ""},
		{"a page of another site", "/" + secret + "/", "127.0.0.1:8765", "https://example.com", "", ""},
		{"a page without an origin", "/" + secret + "/", "127.0.0.1:8765", "null", "", ""},
		{"a change", "/" + secret + "/objects", "127.0.0.1:8765", "http://127.0.0.1:8765", "/objects", http.MethodPost},
		{"a change by nobody knows whom", "/" + secret + "/objects", "127.0.0.1:8765", "", "", http.MethodDelete},
	} {
		came = ""
		request := httptest.NewRequest(cmp.Or(c.method, http.MethodGet), c.path, nil)
		request.Host = c.host
		if c.origin != "" {
			request.Header.Set("Origin", c.origin)
		}
		answer := httptest.NewRecorder()
		g.ServeHTTP(answer, request)
		if came != c.in || (answer.Code == http.StatusOK) != (c.in != "") {
			t.Errorf("%s: %d, and %q came in", c.what, answer.Code, came)
		}
		if strings.Contains(answer.Body.String(), secret) {
			t.Errorf("%s is told the secret", c.what)
		}
		for _, name := range []string{"Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options"} {
			if answer.Header().Get(name) == "" {
				t.Errorf("%s: the answer lacks %s", c.what, name)
			}
		}
	}
}
