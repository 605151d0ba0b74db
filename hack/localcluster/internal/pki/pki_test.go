package pki

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
)

func TestCertificatesServeTheirHostsAndNameTheirUsers(t *testing.T) {
	dir := t.TempDir()
	if _, err := New(dir); err != nil {
		t.Fatal(err)
	}
	// Nodes that are added later use the authority from its files.
	authority, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := authority.Issue(Certificate{Name: "node", User: "system:node:node1", Groups: []string{"system:nodes"}, Hosts: []string{"node1", "10.0.0.1"}}); err != nil {
		t.Fatal(err)
	}
	if err := authority.Issue(Certificate{Name: "client", User: "me"}); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil || !roots.AppendCertsFromPEM(ca) {
		t.Fatal(err)
	}
	load := func(name string) *x509.Certificate {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf
	}
	node, client := load("node"), load("client")
	if node.Subject.CommonName != "system:node:node1" || node.Subject.Organization[0] != "system:nodes" {
		t.Errorf("named %s", node.Subject)
	}
	for host, want := range map[string]bool{"node1": true, "10.0.0.1": true, "node2": false} {
		_, err := node.Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		if (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := client.Verify(x509.VerifyOptions{Roots: roots}); err == nil {
		t.Error("a client's certificate may serve")
	}
	if _, err := client.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		t.Error(err)
	}
}
