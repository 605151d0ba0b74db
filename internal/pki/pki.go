// Package pki makes certificate authorities and the certificates that they sign.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// skew is how far the clocks of those who check a certificate may be behind.
const skew = time.Hour

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	der         []byte
	key         *ecdsa.PrivateKey
}

// Pair is a certificate and its key, in PEM.
type Pair struct {
	Certificate, Key []byte
}

// NewAuthority makes an authority that is valid for the lifetime.
func NewAuthority(name string, now time.Time, lifetime time.Duration) (*Authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(name, now.Add(-skew), now.Add(lifetime))
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making the authority %s: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading the authority %s: %w", name, err)
	}
	return &Authority{certificate: certificate, der: der, key: key}, nil
}

// PEM is the authority's certificate.
func (a *Authority) PEM() []byte { return encode("CERTIFICATE", a.der) }

// End is when the authority ends.
func (a *Authority) End() time.Time { return a.certificate.NotAfter }

// Keep is the authority with its key, for LoadAuthority. Who has it can sign what those believe who
// trust the authority.
func (a *Authority) Keep() (Pair, error) {
	key, err := encodeKey(a.key)
	return Pair{Certificate: a.PEM(), Key: key}, err
}

// LoadAuthority reads an authority that was kept.
func LoadAuthority(kept Pair) (*Authority, error) {
	pair, err := tls.X509KeyPair(kept.Certificate, kept.Key)
	if err != nil {
		return nil, fmt.Errorf("reading an authority: %w", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("reading an authority: the certificate of %q is none of this program", pair.Leaf.Subject.CommonName)
	}
	return &Authority{certificate: pair.Leaf, der: pair.Certificate[0], key: key}, nil
}

// Issue makes a certificate that begins with the authority, since a clock may be ahead, and ends
// with it or before. hosts are names and addresses that it is good for, and identities that begin
// with spiffe://; a client's has none.
func (a *Authority) Issue(name string, hosts []string, end time.Time, usages ...x509.ExtKeyUsage) (Pair, error) {
	key, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	if end.After(a.End()) {
		end = a.End()
	}
	template, err := newTemplate(name, a.certificate.NotBefore, end)
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, usages
	for _, host := range hosts {
		switch address, err := netip.ParseAddr(host); {
		case err == nil:
			template.IPAddresses = append(template.IPAddresses, address.AsSlice())
		case strings.HasPrefix(host, "spiffe://"):
			identity, err := url.Parse(host)
			if err != nil {
				return Pair{}, fmt.Errorf("making the certificate of %s: %w", name, err)
			}
			template.URIs = append(template.URIs, identity)
		default:
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("making the certificate of %s: %w", name, err)
	}
	keyPEM, err := encodeKey(key)
	return Pair{Certificate: encode("CERTIFICATE", der), Key: keyPEM}, err
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("writing a key: %w", err)
	}
	return encode("PRIVATE KEY", der), nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return key, nil
}

func newTemplate(name string, begin, end time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("making a serial number: %w", err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: begin, NotAfter: end,
	}, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
