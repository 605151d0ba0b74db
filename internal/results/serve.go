package results

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"
)

// HTTPServer makes the shell around the server. It speaks HTTP/1.1 alone, since a
// connection of HTTP/2 may hold a megabyte of every stream's body in memory.
func HTTPServer(handler http.Handler, limits Limits, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error), log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second,
		// A wait for a start must fit: the deadline ends waiting requests too.
		ReadTimeout:    limits.RequestLimit,
		IdleTimeout:    limits.RequestLimit,
		MaxHeaderBytes: limits.HeaderBytes,
		TLSConfig:      &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: certificate},
		// What the package would log are the mistakes of callers.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
