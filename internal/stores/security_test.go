package stores

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCredentialsAreReadFromTheirFolder(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{FileUser: "somebody\n", FilePassword: "hidden\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, level := range []string{"", SecurityNone} {
		if got, err := ReadCredentials(filepath.Join(folder, "nowhere"), level); got != nil || err != nil {
			t.Errorf("%q: %+v, %v", level, got, err)
		}
	}
	got, err := ReadCredentials(folder, SecurityAuth)
	if err != nil || *got != (Credentials{User: "somebody", Password: "hidden"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ReadCredentials(folder, SecurityTLS); err == nil || !strings.Contains(err.Error(), FileCA) {
		t.Errorf("a missing file: %v", err)
	}
	// A store of somebody's own may know its clients by their passwords alone.
	if err := os.WriteFile(filepath.Join(folder, FileCA), []byte(authority), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err = ReadCredentials(folder, SecurityTLS)
	if err != nil || got.Password != "hidden" || got.TLS == nil || len(got.TLS.Certificates) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is wrong with a file is said without what is in it.
func TestBadCredentialsAreRefused(t *testing.T) {
	const secret = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
	for name, c := range map[string]struct {
		level string
		files map[string][]byte
		says  string
	}{
		"no authority":  {SecurityTLS, map[string][]byte{FileCA: []byte(secret)}, FileCA},
		"another level": {"tls", nil, "use None, Auth or TLS"},
		"no password":   {SecurityAuth, map[string][]byte{FileUser: []byte("u")}, FilePassword},
		"a key alone":   {SecurityTLS, map[string][]byte{FileCA: []byte(authority), FileClientKey: []byte(secret)}, FileClientCert},
		"another's key": {SecurityTLS, map[string][]byte{FileCA: []byte(authority), FileClientCert: []byte(authority), FileClientKey: []byte(secret)}, FileClientKey},
	} {
		got, err := NewCredentials(c.level, c.files)
		if got != nil || err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// authority is a certificate that signs nothing any more.
const authority = `-----BEGIN CERTIFICATE-----
MIIBXzCCAQSgAwIBAgIQPUMTLBOHlwZ48/2iOKIAGzAKBggqhkjOPQQDAjAPMQ0w
CwYDVQQDEwRnb25lMB4XDTI1MTIzMTIzMDAwMFoXDTI2MDEwMTAxMDAwMFowDzEN
MAsGA1UEAxMEZ29uZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNbgM+YLSfjQ
OUb2LIEgCnLcEd9THh9wbbFOku7uh4jpmMHosBL4zKh/vFZG9TEDTqo/NI8cZ9MK
GW+2Q3iiP46jQjBAMA4GA1UdDwEB/wQEAwICBDAPBgNVHRMBAf8EBTADAQH/MB0G
A1UdDgQWBBShTRe2N8DQo87xbZyrgTdWYxPf1TAKBggqhkjOPQQDAgNJADBGAiEA
5sRL43PqCNodIb21wMw3aAV2v9DhXLSZiuCNUjzfeegCIQD4B91GSDOt1IW9UqSf
/8Vz4rcD45FORpUdI1yekKCgCg==
-----END CERTIFICATE-----`
