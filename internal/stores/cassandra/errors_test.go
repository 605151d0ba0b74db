package cassandra

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// answer is an error that a coordinator sends.
type answer int

func (a answer) Code() int       { return int(a) }
func (a answer) Message() string { return "m" }
func (a answer) Error() string   { return "m" }

func TestWhatBecameOfAStatement(t *testing.T) {
	for name, c := range map[string]struct {
		kind    stores.Kind
		err     error
		outcome stores.Outcome
		code    string
	}{
		"too few replicas":            {stores.Update, answer(gocql.ErrCodeUnavailable), stores.Failed, "Unavailable"},
		"too few answers":             {stores.Update, answer(gocql.ErrCodeWriteTimeout), stores.Unknown, "WriteTimeout"},
		"a replica that failed":       {stores.Insert, answer(gocql.ErrCodeWriteFailure), stores.Unknown, "WriteFailure"},
		"too much to do":              {stores.Insert, answer(gocql.ErrCodeOverloaded), stores.Failed, "Overloaded"},
		"a member that joins":         {stores.Insert, answer(gocql.ErrCodeBootstrapping), stores.Failed, "IsBootstrapping"},
		"a key that can't be one":     {stores.Insert, answer(gocql.ErrCodeInvalid), stores.Failed, "Invalid"},
		"a server's mistake":          {stores.Delete, answer(gocql.ErrCodeServer), stores.Unknown, "ServerError"},
		"a server's mistake, reading": {stores.Read, answer(gocql.ErrCodeServer), stores.Failed, "ServerError"},
		"too few answers to a read":   {stores.Read, answer(gocql.ErrCodeReadTimeout), stores.Failed, "ReadTimeout"},
		"an error of another time":    {stores.Update, answer(0x7abc), stores.Unknown, "Error7ABC"},
		"no member":                   {stores.Insert, gocql.ErrNoConnections, stores.Failed, "NoConnection"},
		"the driver's end":            {stores.Insert, gocql.ErrSessionClosed, stores.Failed, "NoConnection"},
		"the connection's end":        {stores.Delete, io.EOF, stores.Unknown, "ConnectionLost"},
		"its end by gocql":            {stores.Update, gocql.ErrConnectionClosed, stores.Unknown, "ConnectionLost"},
		"a passed deadline":           {stores.Insert, context.DeadlineExceeded, stores.Unknown, "DeadlineExceeded"},
		"a passed deadline of a scan": {stores.Scan, context.DeadlineExceeded, stores.Failed, "DeadlineExceeded"},
	} {
		var got *stores.Error
		if !errors.As(judge(c.kind, fmt.Errorf("said: %w", c.err)), &got) || got.Outcome != c.outcome || got.Code != c.code || got.Answered {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// refusal is what a member says to who connects.
type refusal string

func (r refusal) Code() int       { return gocql.ErrCodeCredentials }
func (r refusal) Message() string { return string(r) }
func (r refusal) Error() string   { return string(r) }

func TestAMemberThatCannotReadItsUsersRefusesNobody(t *testing.T) {
	for said, want := range map[string]string{
		"Provided username u and/or password are incorrect":                            stores.CodeUnauthorized,
		"u is not permitted to log in":                                                 stores.CodeUnauthorized,
		"Unable to perform authentication: Cannot achieve consistency level LOCAL_ONE": "Unavailable",
	} {
		if got := codeOf(refusal(said)); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
	for _, err := range []error{errNoPassword, errors.New("remote error: tls: bad certificate")} {
		if got := codeOf(fmt.Errorf("connect: %w", err)); got != stores.CodeUnauthorized {
			t.Errorf("%v: %s", err, got)
		}
	}
}

func TestWhatBecameOfABatch(t *testing.T) {
	unavailable := judge(stores.Insert, answer(gocql.ErrCodeUnavailable))
	timeout := judge(stores.Insert, answer(gocql.ErrCodeWriteTimeout))
	for name, c := range map[string]struct {
		errs    []error
		outcome stores.Outcome
		code    string
	}{
		"all failed":                {[]error{unavailable, unavailable}, stores.Failed, "Unavailable"},
		"some failed":               {[]error{nil, unavailable}, stores.Unknown, "Unavailable"},
		"one is not known":          {[]error{unavailable, timeout}, stores.Unknown, "WriteTimeout"},
		"one is not known, at once": {[]error{timeout, unavailable}, stores.Unknown, "WriteTimeout"},
	} {
		var got *stores.Error
		if !errors.As(together(c.errs), &got) || got.Outcome != c.outcome || got.Code != c.code {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if err := together([]error{nil, nil}); err != nil {
		t.Errorf("all are there: %v", err)
	}
	var one *stores.Error
	if !errors.As(unavailable, &one) || one.Outcome != stores.Failed {
		t.Errorf("what was said of one became %v", one)
	}
}
