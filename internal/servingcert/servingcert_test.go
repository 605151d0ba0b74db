package servingcert

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestACertificateIsKeptUntilItNoLongerServes(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	names := []string{"kvbench-results.kvbench-system.svc"}
	data, err := Make(names, now)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Make(names, now)
	if err != nil {
		t.Fatal(err)
	}
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
