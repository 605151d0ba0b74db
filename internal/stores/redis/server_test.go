package redis

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// hangs and closes are what a server may do instead of answering.
const (
	hangs  = "hang"
	closes = "close"
)

// fake answers each command with what its first word is mapped to, as RESP has it.
type fake struct {
	address string
	mu      sync.Mutex
	answers map[string]string
	seen    []string
}

func startFake(t *testing.T, answers map[string]string) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	f := &fake{address: listener.Addr().String(), answers: answers}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go f.serve(conn)
		}
	}()
	return f
}

func (f *fake) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		var words, length int
		if _, err := fmt.Fscanf(in, "*%d\r\n", &words); err != nil {
			return
		}
		command := make([]string, words)
		for i := range command {
			if _, err := fmt.Fscanf(in, "$%d\r\n", &length); err != nil {
				return
			}
			word := make([]byte, length+2)
			if _, err := io.ReadFull(in, word); err != nil {
				return
			}
			command[i] = string(word[:length])
		}
		switch answer := f.answer(command); answer {
		case closes:
			return
		case hangs:
		default:
			if _, err := io.WriteString(conn, answer); err != nil {
				return
			}
		}
	}
}

func (f *fake) answer(command []string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := strings.ToUpper(command[0])
	if name != "PING" { // the greeting
		f.seen = append(f.seen, strings.Join(command, " "))
	}
	if answer, ok := f.answers[name]; ok {
		return answer
	}
	if name == "PING" {
		return "+PONG\r\n"
	}
	return "-ERR unknown command\r\n"
}

func (f *fake) commands() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

// sessionOf is a session of a store that has this one server.
func sessionOf(t *testing.T, address string, replicas int) *session {
	t.Helper()
	discovery, err := newDiscovery([]string{address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{discovery: discovery, links: newLinks(nil, 0, 1), replicas: replicas}
	t.Cleanup(func() { s.Close(); discovery.close() })
	return s
}

func anOp(kind stores.Kind, within time.Duration) *stores.Op {
	return &stores.Op{
		Kind: kind, Table: "t", Key: []byte("user1"), Count: 2, WantResult: true,
		Values:   []stores.Field{{Name: "field0", Value: []byte("a")}},
		Deadline: time.Now().Add(within),
	}
}
