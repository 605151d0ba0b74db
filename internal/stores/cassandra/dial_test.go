package cassandra

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// A hung member's kernel accepts connections, and acknowledges what is sent.
func TestASilentMemberHoldsUpNobody(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	at := listener.Addr().(*net.TCPAddr)
	host, err := gocql.NewHostInfoFromAddrPort(at.IP, at.Port)
	if err != nil {
		t.Fatal(err)
	}
	silent := hosts{clientTLS(&tls.Config{MinVersion: tls.VersionTLS12}, nil), 20 * time.Millisecond}
	if _, err := silent.DialHost(t.Context(), host); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ends with %v", err)
	}
}
