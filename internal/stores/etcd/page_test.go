package etcd

import (
	"slices"
	"strings"
	"testing"
)

func TestAPageTellsWhetherTheClusterIsBeingMade(t *testing.T) {
	urls := []string{"http://b:2380", "http://a:2380"}
	id := firstID(urls, "token")
	for name, c := range map[string]struct {
		page page
		want bool
	}{
		"being made":                     {page{{ID: id, Name: "e-0", PeerURLs: urls}}, true},
		"one was ready":                  {page{{ID: id, Name: "e-0", PeerURLs: urls, ClientURLs: []string{"http://a:2379"}}}, false},
		"one was added later":            {page{{ID: id, Name: "e-0", PeerURLs: urls}, {ID: 7, Name: "e-1", PeerURLs: []string{"http://c:2380"}}}, false},
		"one was added, and isn't there": {page{{ID: 7, PeerURLs: urls}}, false},
	} {
		if got := c.page.isFirst("token"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestClientsAreNamedOnce(t *testing.T) {
	got := clientsOf([]page{{{ClientURLs: []string{"b", "a"}}, {}}, {{ClientURLs: []string{"b"}}}})
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v", got)
	}
}

func FuzzPage(f *testing.F) {
	f.Add(`[{"id":7,"peerURLs":["http://127.0.0.1:2380"],"name":"e-0","clientURLs":[]}]`)
	f.Add(`[{"id":18446744073709551615,"clientURLs":["http://a:1"]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		told, err := parsePage(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(clientsOf([]page{told})) > 0 && told.isFirst(defaultToken) {
			t.Error("a cluster with clients is being made")
		}
	})
}
