package properties

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	for text, want := range map[string][]string{
		"a:1":                              {"a:1"},
		"http://a:1/, [::1]:2":             {"a:1", "[::1]:2"},
		"":                                 nil,
		"a":                                nil,
		"a:0":                              nil,
		"a:1,":                             nil,
		":1":                               nil,
		"a:+1":                             nil,
		"a:http":                           nil,
		"https://a:1":                      nil,
		strings.Repeat("a:1,", 16) + "a:1": nil,
	} {
		got, err := ParseEndpoints(text)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// Whatever is taken for endpoints can be dialed.
func FuzzEndpoints(f *testing.F) {
	for _, text := range []string{"a:1", "http://a:1/,[::1]:65535", "https://a:1", "a:1,,", "[::1]", "a:+1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		addresses, err := ParseEndpoints(text)
		if err != nil {
			return
		}
		if len(addresses) == 0 || len(addresses) > mostEndpoints {
			t.Errorf("%q has %d endpoints", text, len(addresses))
		}
		for _, address := range addresses {
			if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
				t.Errorf("%q has the endpoint %q, %v", text, address, err)
			}
		}
	})
}
