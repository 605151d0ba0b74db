package servingcert

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

var key = client.ObjectKey{Namespace: "kvbench-system", Name: "kvbench-results-tls"}

// A run that is under way trusts the authority that it began with: whatever makes another certificate
// necessary when a controller starts must not make another authority.
func TestTheAuthorityOutlivesItsCertificates(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	names := []string{"kvbench-results.kvbench-system.svc"}
	for what, c := range map[string]struct {
		now    time.Time // of the second start
		names  []string
		spoil  func(*corev1.Secret)
		remade bool
	}{
		"nothing changed":               {now: begin.Add(time.Hour), names: names},
		"the certificate's end nears":   {now: begin.Add(lifetime - renewBefore + time.Hour), names: names, remade: true},
		"its end was long ago":          {now: begin.Add(3 * lifetime), names: names, remade: true},
		"the clock is far ahead":        {now: begin.Add(4 * lifetime), names: names, remade: true},
		"the clock is far behind":       {now: begin.Add(-4 * lifetime), names: names},
		"another name":                  {now: begin.Add(time.Hour), names: append(names, "elsewhere.svc"), remade: true},
		"the certificate was damaged":   {now: begin.Add(time.Hour), names: names, remade: true, spoil: func(s *corev1.Secret) { s.Data[corev1.TLSCertKey] = []byte("x") }},
		"the certificate's key is gone": {now: begin.Add(time.Hour), names: names, remade: true, spoil: func(s *corev1.Secret) { delete(s.Data, corev1.TLSPrivateKeyKey) }},
	} {
		t.Run(what, func(t *testing.T) {
			store := fake.NewClientBuilder().Build()
			trusted, err := Ensure(t.Context(), store, store, key, names, begin)
			if err != nil {
				t.Fatal(err)
			}
			first := held(t, store)
			if c.spoil != nil {
				c.spoil(first)
				if err := store.Update(t.Context(), first); err != nil {
					t.Fatal(err)
				}
			}
			again, err := Ensure(t.Context(), store, store, key, c.names, c.now)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, trusted) {
				t.Fatal("there is another authority")
			}
			second := held(t, store)
			if remade := !bytes.Equal(first.Data[corev1.TLSCertKey], second.Data[corev1.TLSCertKey]); remade != c.remade {
				t.Errorf("another certificate: %v, want %v", remade, c.remade)
			}
			block, _ := pem.Decode(second.Data[corev1.TLSCertKey])
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(trusted)
			right := begin.Add(time.Hour)                                 // by the clock of another node
			for _, now := range []time.Time{right, later(right, c.now)} { // and by the controller's
				if _, err := certificate.Verify(x509.VerifyOptions{DNSName: names[0], Roots: roots, CurrentTime: now}); err != nil {
					t.Errorf("at %s: %v", now, err)
				}
			}
		})
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func held(t *testing.T, store client.Client) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	if err := store.Get(t.Context(), key, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestACertificateIsKeptUntilItNoLongerServes(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	names := []string{"kvbench-results.kvbench-system.svc"}
	made := func() map[string][]byte {
		authority, err := authorityOf(&corev1.Secret{}, now)
		if err != nil {
			t.Fatal(err)
		}
		data, err := issue(authority, names, now)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data, other := made(), made()
	cases := map[string]struct {
		change func(map[string][]byte)
		names  []string
		now    time.Time
		want   bool
	}{
		"fresh":                              {names: names, now: now, want: true},
		"three months to go":                 {names: names, now: now.Add(lifetime - renewBefore + time.Hour)},
		"another name":                       {names: []string{"elsewhere.svc"}, now: now},
		"another authority":                  {names: names, now: now, change: func(d map[string][]byte) { d[CAKey] = other[CAKey] }},
		"no key":                             {names: names, now: now, change: func(d map[string][]byte) { delete(d, corev1.TLSPrivateKeyKey) }},
		"something that isn't a certificate": {names: names, now: now, change: func(d map[string][]byte) { d[corev1.TLSCertKey] = []byte("x") }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			held := map[string][]byte{}
			for k, v := range data {
				held[k] = v
			}
			if c.change != nil {
				c.change(held)
			}
			if got := usable(&corev1.Secret{Data: held}, c.names, c.now); got != c.want {
				t.Errorf("usable = %v, want %v", got, c.want)
			}
		})
	}
}
