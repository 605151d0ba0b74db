package etcd

import (
	"errors"
	"net"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestAWriteFailedOnlyWhenItNeverTakesEffect(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		outcome stores.Outcome
		code    string
	}{
		"no leader":                       {rpctypes.ErrGRPCNoLeader, stores.Failed, "NoLeader"},
		"too large":                       {rpctypes.ErrGRPCRequestTooLarge, stores.Failed, "RequestTooLarge"},
		"too large for gRPC":              {status.Error(codes.ResourceExhausted, "grpc: received message larger than max (20000142 vs. 2097152)"), stores.Failed, "RequestTooLarge"},
		"not allowed":                     {rpctypes.ErrGRPCPermissionDenied, stores.Failed, "PermissionDenied"},
		"its token isn't taken":           {rpctypes.ErrGRPCInvalidAuthToken, stores.Failed, "InvalidAuthToken"},
		"a token of before a user came":   {rpctypes.ErrGRPCAuthOldRevision, stores.Failed, "AuthOldRevision"},
		"never sent for want of a token":  {(&token{err: errAway}).late(), stores.Failed, "NoToken"},
		"its lease has expired":           {rpctypes.ErrGRPCLeaseNotFound, stores.Failed, "LeaseNotFound"},
		"too many, its code lost":         {status.Error(codes.Unknown, "etcdserver: too many requests"), stores.Failed, "TooManyRequests"},
		"proposal dropped":                {status.Error(codes.Unknown, "raft proposal dropped"), stores.Failed, "ProposalDropped"},
		"quota exceeded: may be written":  {rpctypes.ErrGRPCNoSpace, stores.Unknown, "NoSpace"},
		"the leader changed meanwhile":    {rpctypes.ErrGRPCLeaderChanged, stores.Unknown, "LeaderChanged"},
		"the server timed out":            {rpctypes.ErrGRPCTimeout, stores.Unknown, "Timeout"},
		"timed out after a leader's fail": {rpctypes.ErrGRPCTimeoutDueToLeaderFail, stores.Unknown, "TimeoutLeaderFailed"},
		"the server stopped":              {rpctypes.ErrGRPCStopped, stores.Unknown, "Stopped"},
		"our deadline":                    {status.Error(codes.DeadlineExceeded, "context deadline exceeded"), stores.Unknown, "DeadlineExceeded"},
		"the connection broke":            {status.Error(codes.Unavailable, "error reading from server: EOF"), stores.Unknown, stores.CodeConnectionLost},
		"something else":                  {errors.New("boom"), stores.Unknown, "Unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			var write, read *stores.Error
			if !errors.As(writeError(c.err), &write) || !errors.As(readError(c.err), &read) {
				t.Fatal("not a *stores.Error")
			}
			if write.Outcome != c.outcome || write.Code != c.code {
				t.Errorf("a write: %v %s, want %v %s", write.Outcome, write.Code, c.outcome, c.code)
			}
			if read.Outcome != stores.Failed || read.Code != c.code {
				t.Errorf("a read: %v %s, want failed %s", read.Outcome, read.Code, c.code)
			}
			if !errors.Is(write, c.err) {
				t.Error("the cause is lost")
			}
		})
	}
}

// The words are gRPC's: they are asked of gRPC.
func TestAWriteThatFoundNoConnectionHasFailed(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, address := range map[string]string{"nobody listens": nobody(t), "nobody answers": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			d, err := Open(stores.Config{Addresses: []string{address}})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			s, err := d.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			write := &stores.Op{Kind: stores.Update, Table: "t", Key: []byte("k"), Deadline: time.Now().Add(200 * time.Millisecond)}
			var failure *stores.Error
			if err := s.Do(write); !errors.As(err, &failure) || failure.Outcome != stores.Failed || failure.Code != stores.CodeNoConnection {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestOnlyAnAbsentRecordIsTheStoresAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		answered bool
	}{
		"no such record": {stores.NotFound("etcd"), true},
		"unavailable":    {readError(status.Error(codes.Unavailable, "no connection")), false},
		"our deadline":   {writeError(status.Error(codes.DeadlineExceeded, "context deadline exceeded")), false},
		"no leader":      {writeError(rpctypes.ErrGRPCNoLeader), false},
	} {
		var known *stores.Error
		if !errors.As(c.err, &known) || known.Answered != c.answered {
			t.Errorf("%s: %+v, want answered %t", name, known, c.answered)
		}
	}
}
