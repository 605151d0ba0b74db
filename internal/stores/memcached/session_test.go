package memcached

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// greeting is a member's answer to the first request on a connection.
const greeting = "VERSION 1.6.18\r\n"

// greeted answers that, and all else as the script says.
func greeted(t *testing.T, answer func(request string) *string) string {
	t.Helper()
	hello := greeting
	return scriptedServer(t, func(request string) *string {
		if request == "version\r\n" {
			return &hello
		}
		return answer(request)
	})
}

// scriptedServer answers each request's first line as the script says; "" closes the
// connection instead, and nil hangs.
func scriptedServer(t *testing.T, answer func(request string) *string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if strings.HasPrefix(line, "ms ") {
						if _, err := in.ReadString('\n'); err != nil {
							return
						}
					}
					said := answer(line)
					switch {
					case said == nil:
						continue
					case *said == "":
						return
					}
					if _, err := conn.Write([]byte(*said)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func sessionWith(t *testing.T, addresses ...string) *session {
	t.Helper()
	d, err := Open(stores.Config{Addresses: addresses})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(*session)
}

func TestAPasswordGoesWhereOneIsAskedFor(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		password string
		version  string // the answer to a client that hasn't said who it is
		sent     bool
		says     string
	}{
		"a member that asks":     {"secret", "CLIENT_ERROR unauthenticated\r\n", true, ""},
		"one that doesn't":       {"secret", "VERSION 1.6.18\r\n", false, "it asks for none"},
		"another program":        {"secret", "HTTP/1.1 400 Bad Request\r\n", false, "it answered"},
		"a client that has none": {"", "VERSION 1.6.18\r\n", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sent := false
			address := scriptedServer(t, func(request string) *string {
				switch {
				case request == "version\r\n":
					return text(c.version)
				case strings.HasPrefix(request, "set auth "):
					return nil
				}
				sent = true
				return text("STORED\r\n")
			})
			made, err := dialerOf(address, &stores.Credentials{User: "kvbench", Password: c.password}).Dial(t.Context())
			if err == nil {
				made.HangUp()
			}
			if sent != c.sent || (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || codeOf(err) != stores.CodeUnauthorized) {
				t.Errorf("the password was sent: %v; %v, want %q", sent, err, c.says)
			}
		})
	}
}

func TestSessionsThatShareConnectionsMakeNone(t *testing.T) {
	d, err := Open(stores.Config{Addresses: []string{greeted(t, func(string) *string { return nil })}, Connections: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.(stores.Connector).Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		s, err := d.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.(stores.Connector).Connect(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if made := d.(stores.Sharer).Connections().Opened; made != 3 {
		t.Errorf("%d connections, want 3", made)
	}
}

func op(kind stores.Kind, within time.Duration) *stores.Op {
	return &stores.Op{
		Kind: kind, Table: "t", Key: []byte("user1"), Deadline: time.Now().Add(within), WantResult: true,
		Values: []stores.Field{{Name: "field0", Value: []byte("v")}},
	}
}

func TestOutcomesSayWhatIsKnown(t *testing.T) {
	text := func(s string) *string { return &s }
	read, write, remove := stores.Read, stores.Update, stores.Delete
	for name, c := range map[string]struct {
		kind    stores.Kind
		answer  *string
		outcome stores.Outcome
		code    string
	}{
		"stored":                        {write, text("HD\r\n"), stores.OK, ""},
		"deleted":                       {remove, text("HD\r\n"), stores.OK, ""},
		"nothing to delete":             {remove, text("NF\r\n"), stores.Failed, stores.CodeNotFound},
		"nothing to read":               {read, text("EN\r\n"), stores.Failed, stores.CodeNotFound},
		"too large":                     {write, text("SERVER_ERROR object too large for cache\r\n"), stores.Failed, stores.CodeTooLarge},
		"no room":                       {write, text("SERVER_ERROR out of memory storing object\r\n"), stores.Failed, codeNoMemory},
		"not stored":                    {write, text("NS\r\n"), stores.Failed, codeRefused},
		"not understood":                {write, text("CLIENT_ERROR bad data chunk\r\n"), stores.Failed, codeRefused},
		"another error of a write":      {write, text("SERVER_ERROR what\r\n"), stores.Unknown, stores.CodeServerError},
		"another error of a read":       {read, text("SERVER_ERROR what\r\n"), stores.Failed, stores.CodeServerError},
		"an answer of another protocol": {write, text("HTTP/1.1 400 Bad Request\r\n"), stores.Unknown, stores.CodeServerError},
		"a write's connection ends":     {write, text(""), stores.Unknown, stores.CodeConnectionLost},
		"a read's connection ends":      {read, text(""), stores.Failed, stores.CodeConnectionLost},
		"a write without an answer":     {write, nil, stores.Unknown, stores.CodeDeadline},
		"a read without an answer":      {read, nil, stores.Failed, stores.CodeDeadline},
		"another program's item":        {read, text("VA 2\r\n{}\r\n"), stores.Failed, stores.CodeBadRecord},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			within := 10 * time.Second
			if c.answer == nil {
				within = 50 * time.Millisecond
			}
			s := sessionWith(t, greeted(t, func(string) *string { return c.answer }))
			err := s.Do(op(c.kind, within))
			var known *stores.Error
			if c.outcome == stores.OK {
				if err != nil {
					t.Fatal(err)
				}
			} else if !errors.As(err, &known) || known.Outcome != c.outcome || known.Code != c.code {
				t.Fatalf("%v, want %v with code %s", err, c.outcome, c.code)
			}
		})
	}
}

// A late answer must not become that of the next operation.
func TestAConnectionIsLeftAfterADeadline(t *testing.T) {
	requests := make(chan string, 10)
	late := make(chan struct{})
	s := sessionWith(t, greeted(t, func(request string) *string {
		requests <- request
		said := "EN\r\n"
		if strings.HasPrefix(request, "ms") {
			<-late
			said = "HD\r\n"
		}
		return &said
	}))
	if err := s.Do(op(stores.Update, 50*time.Millisecond)); err == nil {
		t.Fatal("answered before it was")
	}
	close(late)
	err := s.Do(op(stores.Read, 10*time.Second))
	var known *stores.Error
	if !errors.As(err, &known) || known.Code != stores.CodeNotFound {
		t.Errorf("the read got %v", err)
	}
	if len(requests) != 2 {
		t.Errorf("%d requests for two operations", len(requests))
	}
}

// A member that was away has closed its connections: that is seen before a write is sent,
// which would be of unknown outcome otherwise.
func TestAClosedConnectionIsSeenBeforeTheNextRequest(t *testing.T) {
	conns := make(chan net.Conn, 2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			for _, answer := range []string{greeting, "HD\r\n"} {
				if _, err := conn.Read(make([]byte, 1000)); err == nil {
					conn.Write([]byte(answer)) // the session tells of an error
				}
			}
			conns <- conn
		}
	}()
	s := sessionWith(t, listener.Addr().String())
	for range 2 {
		if err := s.Do(op(stores.Update, 10*time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := (<-conns).Close(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); s.own[0].Sound(); {
			if time.Since(begun) > 10*time.Second {
				t.Fatal("the connection's end doesn't come")
			}
		}
	}
}

func TestAMemberThatIsAwayIsNotAskedInAnEndlessHurry(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	s := sessionWith(t, address)
	attempts, begun := 0, time.Now()
	for time.Since(begun) < 400*time.Millisecond {
		attempts++
		var known *stores.Error
		if err := s.Do(op(stores.Update, 10*time.Second)); !errors.As(err, &known) || known.Outcome != stores.Failed || known.Code != stores.CodeNoConnection {
			t.Fatalf("%v, want a failure for certain: nothing was sent", err)
		}
	}
	// At 0, 50, 150 and 350 ms, and the one that was under way at the end.
	if attempts > 5 {
		t.Errorf("%d attempts in 400 ms", attempts)
	}
	// Nor does it outlive its deadline.
	begun = time.Now()
	err = s.Do(op(stores.Update, 20*time.Millisecond))
	var known *stores.Error
	if took := time.Since(begun); took > 5*time.Second || !errors.As(err, &known) || known.Outcome != stores.Failed {
		t.Errorf("%v after %v", err, took)
	}
}

func TestAnOperationCostsNoMemory(t *testing.T) {
	record := stores.EncodeRecord(nil, []stores.Field{{Name: "field0", Value: []byte("v")}})
	if len(record) != 11 {
		t.Fatalf("the record has %d bytes", len(record))
	}
	hello := []byte(greeting)
	found, stored := []byte("VA 11\r\n"+string(record)+"\r\n"), []byte("HD\r\n")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() { // without allocating, as it is in the same process
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for buffer := make([]byte, 1000); ; {
			n, err := conn.Read(buffer)
			if err != nil || n < 2 {
				return
			}
			answer := stored
			switch buffer[1] {
			case 'g':
				answer = found
			case 'e': // of "version"
				answer = hello
			}
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
	}()
	s := sessionWith(t, listener.Addr().String())
	for _, kind := range []stores.Kind{stores.Read, stores.Update} {
		o := op(kind, time.Minute)
		cost := testing.AllocsPerRun(100, func() {
			if err := s.Do(o); err != nil {
				t.Fatal(err)
			}
		})
		if cost > 0 {
			t.Errorf("%v allocates %v times", kind, cost)
		}
	}
}

func TestTLSThatDoesNotFitIsSaidSo(t *testing.T) {
	for name, err := range map[string]error{
		"plain text":                 tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		"a certificate not accepted": &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")},
	} {
		if got := codeOf(err); got != stores.CodeUnauthorized {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnOperationsShardIsItsMember(t *testing.T) {
	missing := "EN\r\n"
	away := func(string) *string { return &missing }
	s := sessionWith(t, greeted(t, away), greeted(t, away), greeted(t, away))
	seen := map[uint8]int{}
	for i := range 100 {
		o := op(stores.Read, time.Minute)
		o.Key = append(o.Key[:0], byte('a'+i%26), byte('a'+i/26))
		if err := s.Do(o); err == nil {
			t.Fatal("a record was found")
		}
		if want := stores.ShardOf(owner(s.name, 3)); o.Shard != want {
			t.Errorf("shard %d, want %d", o.Shard, want)
		}
		seen[o.Shard]++
	}
	if len(seen) != 3 || seen[1] == 0 || seen[2] == 0 || seen[3] == 0 {
		t.Errorf("shards %v", seen)
	}
}
