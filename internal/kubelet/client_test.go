package kubelet

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func ask(t *testing.T, kubelet *httptest.Server, config *rest.Config, insecure bool) ([]PodUsage, error) {
	t.Helper()
	// Not the controller's own, which can do more.
	tokens := NewTokens(func(context.Context) (string, error) { return config.Username, nil })
	client, err := New(config, insecure, tokens)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(kubelet.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	return client.PodUsages(t.Context(), address.Hostname(), int32(port))
}

func trusting(kubelet *httptest.Server) *rest.Config {
	return &rest.Config{Host: "https://api:443", Username: "secret", BearerToken: "the controller's", TLSClientConfig: rest.TLSClientConfig{
		CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: kubelet.Certificate().Raw}),
	}}
}

func TestAKubeletIsAskedWithTheToken(t *testing.T) {
	kubelet := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stats/summary" || r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		w.Header().Set("Date", "Sun, 22 Nov 2026 18:34:30 GMT")
		_, _ = w.Write([]byte(text))
	}))
	defer kubelet.Close()
	pods, err := ask(t, kubelet, trusting(kubelet), false)
	if err != nil || len(pods) != 2 || pods[0].Age.Seconds() != 5 {
		t.Fatalf("%+v, %v", pods, err)
	}
	if _, err := ask(t, kubelet, &rest.Config{Username: "other", BearerToken: "secret", TLSClientConfig: trusting(kubelet).TLSClientConfig}, false); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("without the right: %v", err)
	}
}

func TestNobodyElseGetsTheToken(t *testing.T) {
	asked := 0
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	stranger := rest.TLSClientConfig{CAData: trusting(other).CAData}
	kubelet := httptest.NewTLSServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer kubelet.Close()
	if _, err := ask(t, kubelet, trusting(kubelet), false); err == nil || asked > 0 {
		t.Errorf("a redirection was followed %d times: %v", asked, err)
	}
	// Test servers share one certificate, so the one that is trusted has to be another.
	stranger.CAData = []byte(otherAuthority)
	if _, err := ask(t, other, &rest.Config{Username: "secret", BearerToken: "the controller's", TLSClientConfig: stranger}, false); err == nil || asked > 0 {
		t.Errorf("a certificate that nobody knows was taken: %v", err)
	}
	if _, err := ask(t, other, &rest.Config{Username: "secret", BearerToken: "the controller's", TLSClientConfig: stranger}, true); asked != 1 {
		t.Errorf("insecure, and not asked: %v", err)
	}
}

// otherAuthority signed no server's certificate here.
const otherAuthority = `-----BEGIN CERTIFICATE-----
MIIBjjCCATWgAwIBAgIUKBpF7ZQXn2is1lglgs2mi3W6nzowCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRYW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIyMTg0MzQ2WhgP
MjEyNjEwMjkxODQzNDZaMBwxGjAYBgNVBAMMEWFub3RoZXIgYXV0aG9yaXR5MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI1PGjJO/axyZyOkFYOc6R8bEQxSCCx0m
YsGRsmmROft13FpOsTAJYL9eB8ZJmle+ITZmTv8AmqCRugpoy7/G6KNTMFEwHQYD
VR0OBBYEFCJdtEJNApukTZzXYHZaIVLBhHvUMB8GA1UdIwQYMBaAFCJdtEJNApuk
TZzXYHZaIVLBhHvUMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIg
Ijwlgf8RVzGHBIVg3ZpgljRRwZ1ulBnEA0/rwG7VIB0CIA02nCmj5T24vy9dBK2J
mBRs0QI4BZ3raQUm8ImhnuxB
-----END CERTIFICATE-----`
