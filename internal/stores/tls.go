package stores

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
)

// IsTLSRefusal says whether one side of a connection doesn't take the other for whom it says it is, or
// doesn't encrypt at all. The other side's alerts have no type of their own, but say what they are of.
func IsTLSRefusal(err error) bool {
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &header) || err != nil && strings.Contains(err.Error(), "tls: ")
}

// HangUp closes a connection at once. tls.Conn's Close tells the other side first, and waits up to five
// seconds for it: a member that is cut off would hold up an operation for longer than its deadline.
func HangUp(conn net.Conn) {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	_ = conn.Close() // there is nobody to tell of an error
}
