// Package servingcert makes the results server's certificate and its authority, and keeps
// both in a Secret. The authority's key is thrown away: nothing else is ever signed by it.
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

// CAKey is the Secret's key with the authority's certificate.
const CAKey = "ca.crt"

const (
	lifetime    = 5 * 365 * 24 * time.Hour
	renewBefore = 90 * 24 * time.Hour
)

// Ensure returns the authority's certificate in PEM from the Secret, and makes the Secret
// when it is missing, for other names, or near its end.
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
	data, err := Make(names, now)
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

// Make makes an authority and a certificate for the names: the data of a TLS Secret.
func Make(names []string, now time.Time) (map[string][]byte, error) {
	authority, err := pki.NewAuthority("kvbench results", now, lifetime)
	if err != nil {
		return nil, err
	}
	leaf, err := authority.Issue(names[0], names, now, x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		CAKey:                   authority.PEM(),
		corev1.TLSCertKey:       leaf.Certificate,
		corev1.TLSPrivateKeyKey: leaf.Key,
	}, nil
}
