package ignite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// user is the one that a new cluster has, and the only one who may change users
// (https://ignite.apache.org/docs/2.17.0/security/authentication).
const user = "ignite"

// firstUser has the password that everybody knows.
var firstUser = stores.Credentials{User: user, Password: "ignite"}

// passwordTimeout is for all members to have written it to their disks.
const passwordTimeout = 30 * time.Second

// takesOver says that the members were deployed to ask for the run's password, which they don't know
// before somebody tells them.
func takesOver(cfg stores.Config) bool {
	return cfg.Credentials != nil && cfg.Credentials.TLS == nil && !cfg.Shared
}

// identity is what a client shows to the members. Those that were deployed with TLS know it by its
// certificate: the password is that of their key stores.
func identity(cfg stores.Config) *stores.Credentials {
	if cfg.Shared || cfg.ClientTLS() == nil {
		return cfg.Credentials
	}
	return &stores.Credentials{TLS: cfg.Credentials.TLS}
}

// passwordFor gives the user the run's password in place of the one that everybody knows. All members
// keep it on their disks, and a member that was away takes it from the others.
func passwordFor(own *stores.Credentials) repair {
	return repair{"give the user its password", "gave the user " + own.User + " the run's password", func(b *builder, number int64) {
		appendStatement(b, number, setPassword(own), anything, passwordTimeout)
	}}
}

// unquoted is an error without a member's own words: it may say again what it was told.
func unquoted(err error) error {
	var said *serverError
	if errors.As(err, &said) {
		return fmt.Errorf("ignite: give the user its password: status %d", said.status)
	}
	return err
}

func setPassword(of *stores.Credentials) string {
	return `ALTER USER "` + of.User + `" WITH PASSWORD '` + strings.ReplaceAll(of.Password, "'", "''") + `'`
}
