package results

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/test/browser"
)

func TestThePageBehindAProxyShowsWhatItsCallerMayRead(t *testing.T) {
	h := registered(t)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer reader")
		h.handler.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	p := browser.Browse(t, proxy.URL+"/")
	p.Until(`document.querySelectorAll("tbody tr").length === 1`)
	if got := p.Text("tbody tr"); !strings.HasPrefix(got, "demo in team") {
		t.Errorf("the run is listed as %q", got)
	}
	if got := p.Text(".filter"); strings.Contains(got, "New run") {
		t.Error("a page that only reads offers to make a run")
	}
	p.Click("tbody a")
	p.Until(`document.querySelector("[role=status]").textContent.includes("No second of a measurement has come yet")`)
	if all := p.Complaints(); len(all) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(all, "; "))
	}

	// Without anybody's token there is the page, and nothing in it.
	if status, _ := h.request(http.MethodGet, "/", "", ""); status != http.StatusOK {
		t.Errorf("the page is answered with %d", status)
	}
	if status, _ := h.request(http.MethodGet, "/v1/runs", "", ""); status != http.StatusUnauthorized {
		t.Errorf("without a token the runs are answered with %d", status)
	}
}
