// Package servingcert makes the results server's certificate and the authority that signs it, and keeps
// both in a Secret with their keys. The authority outlives its certificates, because a run trusts the
// authority that it began with.
package servingcert

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/pki"
)

// Keys of the Secret for the authority's certificate, and for the authority's key, which no pod has.
const (
	CAKey           = "ca.crt"
	caPrivateKeyKey = "ca.key"
)

const (
	year        = 365 * 24 * time.Hour
	lifetime    = 5 * year
	renewBefore = year / 4
	// The authority is trusted by nobody but kvbench's own pods, for the results server alone. It is
	// to live as long as the installation does, and through a clock that is years ahead.
	authorityLifetime = 100 * year
)

// Ensure returns the authority's certificate in PEM from the Secret. It makes another certificate
// when that is missing, for other names, or near its end, and another authority only when the
// Secret has none.
func Ensure(ctx context.Context, c client.Client, direct client.Reader, key client.ObjectKey, names []string, now time.Time) ([]byte, error) {
	secret := &corev1.Secret{}
	err := direct.Get(ctx, key, secret)
	exists := err == nil
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading the certificate in Secret %s: %w", key, err)
	}
	if exists && usable(secret, names, now) {
		return secret.Data[CAKey], nil
	}
	authority, err := authorityOf(secret, now)
	if err != nil {
		return nil, err
	}
	data, err := issue(authority, names, now)
	if err != nil {
		return nil, err
	}
	secret.Data = data
	if exists {
		err = c.Update(ctx, secret)
	} else {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{"app.kubernetes.io/name": "kvbench"}}
		secret.Type = corev1.SecretTypeTLS
		err = c.Create(ctx, secret)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the certificate in Secret %s: %w", key, err)
	}
	return data[CAKey], nil
}

func usable(secret *corev1.Secret, names []string, now time.Time) bool {
	block, _ := pem.Decode(secret.Data[corev1.TLSCertKey])
	if block == nil || len(secret.Data[corev1.TLSPrivateKeyKey]) == 0 {
		return false
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err == nil && now.Before(certificate.NotBefore) {
		now = certificate.NotBefore // the clock is wrong, and not the certificate
	}
	if err != nil || now.After(certificate.NotAfter.Add(-renewBefore)) {
		return false
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(secret.Data[CAKey]) {
		return false
	}
	for _, name := range names {
		if _, err := certificate.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: now}); err != nil {
			return false
		}
	}
	return true
}

// authorityOf is the Secret's authority, or a new one where it has none that can sign.
func authorityOf(secret *corev1.Secret, now time.Time) (*pki.Authority, error) {
	held, err := pki.LoadAuthority(pki.Pair{Certificate: secret.Data[CAKey], Key: secret.Data[caPrivateKeyKey]})
	if err == nil && now.Before(held.End().Add(-renewBefore)) {
		return held, nil
	}
	return pki.NewAuthority("kvbench results", now, authorityLifetime)
}

// issue makes a certificate for the names: the data of a TLS Secret.
func issue(authority *pki.Authority, names []string, now time.Time) (map[string][]byte, error) {
	kept, err := authority.Keep()
	if err != nil {
		return nil, err
	}
	leaf, err := authority.Issue(names[0], names, now.Add(lifetime), x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		CAKey:                   kept.Certificate,
		caPrivateKeyKey:         kept.Key,
		corev1.TLSCertKey:       leaf.Certificate,
		corev1.TLSPrivateKeyKey: leaf.Key,
	}, nil
}
