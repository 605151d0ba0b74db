// Package certificates serves a certificate from files, and a new one when the files change.
package certificates

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files serve the certificate of two files, and a new one when they change,
// as they do in a mounted Secret.
type Files struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	changed time.Time
	current *tls.Certificate
}

// Load reads the files once, so that a wrong path is an error at once.
func Load(certFile, keyFile string, log *slog.Logger) (*Files, error) {
	f := &Files{certFile: certFile, keyFile: keyFile, log: log}
	if err := f.refresh(); err != nil {
		return nil, err
	}
	return f, nil
}

// Certificate is for tls.Config.GetCertificate. Files that can't be read now don't take
// the served certificate away.
func (f *Files) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		f.log.Error("the new certificate can't be used; the old one is kept", "error", err)
	}
	return f.current, nil
}

func (f *Files) refresh() error {
	certInfo, certErr := os.Stat(f.certFile)
	keyInfo, keyErr := os.Stat(f.keyFile)
	if err := errors.Join(certErr, keyErr); err != nil {
		return fmt.Errorf("read the TLS certificate; --tls-cert and --tls-key name its files: %w", err)
	}
	changed := certInfo.ModTime()
	if keyInfo.ModTime().After(changed) {
		changed = keyInfo.ModTime()
	}
	if f.current != nil && changed.Equal(f.changed) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		return fmt.Errorf("use the TLS certificate %s with the key %s: %w", f.certFile, f.keyFile, err)
	}
	f.current, f.changed = &pair, changed
	return nil
}
