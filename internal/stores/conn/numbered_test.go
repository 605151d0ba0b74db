package conn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// said is an answer that is a line: the request's number, and what it is.
type said struct {
	number int64
	text   string
}

func (s *said) Read(in *bufio.Reader) (int64, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	number, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	s.text = text
	_, err = fmt.Sscan(number, &s.number)
	return s.number, err
}

// numbered is a connection to a member that hands its requests over.
func numbered(t *testing.T) (n *Numbered, requests <-chan string, member net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ours, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	member, err = listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(ours)
	if err != nil {
		t.Fatal(err)
	}
	n = NewNumbered(made, &said{}, 0)
	came := make(chan string, 100)
	go func() {
		in := bufio.NewScanner(member)
		for in.Scan() {
			came <- in.Text()
		}
	}()
	t.Cleanup(func() {
		n.HangUp()
		member.Close()
	})
	return n, came, member
}

func ask(n *Numbered, call *Call, within time.Duration) (Sent, error) {
	number := n.Number()
	return n.Do(call, number, fmt.Appendln(nil, number), time.Now().Add(within))
}

func TestAnswersComeInAnyOrder(t *testing.T) {
	n, requests, member := numbered(t)
	const calls = 32
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			call := NewCall(&said{})
			for range 3 {
				if _, err := ask(n, call, time.Minute); err != nil {
					t.Error(err)
				}
				if got := call.Answer.(*said); got.text != fmt.Sprint("to ", got.number) {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	for range 3 {
		var came []string
		for range calls {
			came = append(came, <-requests)
		}
		fmt.Fprintln(member, "0 an event")
		for i := range came {
			number := came[len(came)-1-i]
			fmt.Fprintf(member, "%s to %s\n", number, number)
		}
	}
	all.Wait()
}

func TestAnAnswerThatIsLateIsNobodys(t *testing.T) {
	n, requests, member := numbered(t)
	call := NewCall(&said{})
	if sent, err := ask(n, call, 20*time.Millisecond); sent != All || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", sent, err)
	}
	late := <-requests
	go func() {
		next := <-requests
		fmt.Fprintf(member, "%s late\n%s in time\n", late, next)
	}()
	if _, err := ask(n, call, time.Minute); err != nil || call.Answer.(*said).text != "in time" {
		t.Errorf("%v, %+v", err, call.Answer)
	}
	if sent, err := ask(n, call, -time.Millisecond); sent != Nothing || !errors.Is(err, context.DeadlineExceeded) || !n.Sound() {
		t.Errorf("without time: %v, %v", sent, err)
	}
}

func TestAllThatWaitFailWithTheirConnection(t *testing.T) {
	n, requests, member := numbered(t)
	failures := make(chan error)
	for range 3 {
		go func() {
			sent, err := ask(n, NewCall(&said{}), time.Minute)
			if sent != All {
				t.Errorf("%v was sent", sent)
			}
			failures <- err
		}()
	}
	for range 3 {
		<-requests
	}
	member.Close()
	for range 3 {
		if err := <-failures; err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	if sent, err := ask(n, NewCall(&said{}), time.Minute); sent != Nothing || err == nil || n.Sound() {
		t.Errorf("afterwards: %v, %v", sent, err)
	}
}

func TestAnAnswerToNoRequestEndsTheConnection(t *testing.T) {
	n, requests, member := numbered(t)
	go func() {
		<-requests
		fmt.Fprintln(member, "7 to nobody")
	}()
	if _, err := ask(n, NewCall(&said{}), time.Minute); !errors.Is(err, errNumber) || n.Sound() {
		t.Error(err)
	}
}
