package chartsource

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Allowed are the addresses that may be asked, and all below them.
type Allowed []*url.URL

// plainRegistry is the scheme of an allowed registry without TLS.
const plainRegistry = "oci+http"

// ParseAllowed reads addresses such as oci://registry.example.com/charts and
// https://charts.example.com. Without TLS they are oci+http:// and http://.
func ParseAllowed(addresses []string) (Allowed, error) {
	var allowed Allowed
	for _, address := range addresses {
		parsed, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("chart source %q: %w", address, err)
		}
		request := *parsed
		switch parsed.Scheme {
		case "https", "http":
		case "oci", plainRegistry:
			request.Scheme = map[string]string{"oci": "https", plainRegistry: "http"}[parsed.Scheme]
			request.Path = "/v2" + parsed.Path
		default:
			return nil, fmt.Errorf("chart source %q: must begin with oci:// or https://, or oci+http:// or http:// where there is no TLS", address)
		}
		request.Path = strings.TrimSuffix(request.Path, "/")
		if parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || !plain(&request) {
			return nil, fmt.Errorf("chart source %q: must be a host and a path, and nothing else", address)
		}
		allowed = append(allowed, &request)
	}
	return allowed, nil
}

// NotAllowed is an address that no administrator allowed.
type NotAllowed struct{ Address string }

func (n *NotAllowed) Error() string {
	return fmt.Sprintf("%s is not among the addresses that charts may come from: have kvbench's administrator add it, or a part of it up to a slash, to chartSources of kvbench's chart, or name a ConfigMap with the chart", n.Address)
}

// allow says whether the address may be asked.
func (a Allowed) allow(address *url.URL) bool {
	if address.User != nil || !plain(address) {
		return false
	}
	for _, allowed := range a {
		below, ok := strings.CutPrefix(address.Path, allowed.Path)
		if ok && (below == "" || below[0] == '/') && address.Scheme == allowed.Scheme && strings.EqualFold(address.Host, allowed.Host) {
			return true
		}
	}
	return false
}

// plain says that the path is what it looks like: nothing in it leads up, or is encoded.
func plain(address *url.URL) bool {
	trimmed := strings.TrimSuffix(address.Path, "/")
	return address.Opaque == "" && address.EscapedPath() == address.Path && (trimmed == "" || path.Clean(trimmed) == trimmed)
}

// guard lets requests through that go where it is allowed: the first one, those to where an
// answer redirects, and those for a token where an answer says it is to be had.
type guard struct {
	allowed Allowed
	next    http.RoundTripper
}

func (g guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if !g.allowed.allow(request.URL) {
		shown := url.URL{Scheme: request.URL.Scheme, Host: request.URL.Host, Path: request.URL.Path}
		return nil, &NotAllowed{shown.String()}
	}
	return g.next.RoundTrip(request)
}
