package stores

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a store asks of its clients.
const (
	SecurityNone = "None" // nothing: whoever reaches it may use it
	SecurityAuth = "Auth" // who it is; connections are plain text
	SecurityTLS  = "TLS"  // that too, and connections are encrypted
)

// Security says which of these a store has when kvbench deploys it.
type Security struct {
	// Levels are those beside SecurityNone.
	Levels []string
	// Lacks says, as the end of a sentence, why it hasn't the others.
	Lacks string
	// User is who clients are.
	User string
}

// Has says whether there is that level.
func (s *Security) Has(level string) bool {
	return level == SecurityNone || slices.Contains(s.Levels, level)
}

// Credentials are what a client proves with who it is, and what it believes of a server. They
// are the same for a driver and an observer.
type Credentials struct {
	User, Password string
	// TLS is nil for connections in plain text. It says nothing of a server's name: a client
	// checks the one that it connects to.
	TLS *tls.Config
}

// The files of Credentials, which are the keys of the Secret that a run makes for its store.
// What members alone need lies beside them: see package credentials.
const (
	FileUser       = "username"
	FilePassword   = "password"
	FileCA         = "ca.crt"
	FileClientCert = "client.crt"
	FileClientKey  = "client.key"
)

// CredentialFiles are those of a level.
func CredentialFiles(level string) []string {
	switch level {
	case SecurityAuth:
		return []string{FileUser, FilePassword}
	case SecurityTLS:
		return []string{FileUser, FilePassword, FileCA, FileClientCert, FileClientKey}
	}
	return nil
}

// ReadCredentials reads those of a level from a folder; nil for SecurityNone, which an empty
// level is, too. What isn't there, a store of somebody's own may not ask for. What it says of a
// file never holds what is in it.
func ReadCredentials(folder, level string) (*Credentials, error) {
	files := map[string][]byte{}
	for _, name := range CredentialFiles(level) {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the store's credentials: %w", err)
		}
		files[name] = content
	}
	return NewCredentials(level, files)
}

// MissingFile is the file without which there is nothing to prove or to believe at that level; ""
// if it is there.
func MissingFile(level string, has func(name string) bool) string {
	needed := map[string]string{SecurityAuth: FilePassword, SecurityTLS: FileCA}[level]
	switch {
	case needed != "" && !has(needed):
		return needed
	case has(FileClientCert) && !has(FileClientKey):
		return FileClientKey
	case has(FileClientKey) && !has(FileClientCert):
		return FileClientCert
	}
	return ""
}

// NewCredentials makes credentials of the files' contents.
func NewCredentials(level string, files map[string][]byte) (*Credentials, error) {
	has := func(name string) bool { return len(files[name]) > 0 }
	if missing := MissingFile(level, has); missing != "" {
		return nil, fmt.Errorf("the store's credentials have no %s", missing)
	}
	line := func(name string) string { return strings.TrimRight(string(files[name]), "\r\n") }
	switch level {
	case "", SecurityNone:
		return nil, nil
	case SecurityAuth:
		return &Credentials{User: line(FileUser), Password: line(FilePassword)}, nil
	case SecurityTLS:
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(files[FileCA]) {
			return nil, fmt.Errorf("the store's credentials: %s has no certificate in PEM", FileCA)
		}
		config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		if has(FileClientCert) {
			pair, err := tls.X509KeyPair(files[FileClientCert], files[FileClientKey])
			if err != nil {
				return nil, fmt.Errorf("the store's credentials: %s and %s: %w", FileClientCert, FileClientKey, err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		return &Credentials{User: line(FileUser), Password: line(FilePassword), TLS: config}, nil
	}
	return nil, fmt.Errorf("the security %q is not known: use %s, %s or %s", level, SecurityNone, SecurityAuth, SecurityTLS)
}

// ClientTLS is what a client encrypts with; nil for plain text.
func (c Config) ClientTLS() *tls.Config {
	if c.Credentials == nil || c.Credentials.TLS == nil {
		return nil
	}
	return c.Credentials.TLS.Clone()
}
