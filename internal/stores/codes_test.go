package stores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
)

func TestTheCodeOfAnOperationThatNobodyAnswered(t *testing.T) {
	refused := &ConnectError{Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"the member refuses connections":         {refused, CodeNoConnection},
		"no member could be reached":             {fmt.Errorf("ask: %w", errors.Join(refused, refused)), CodeNoConnection},
		"connecting took until the deadline":     {&ConnectError{Err: context.DeadlineExceeded}, CodeNoConnection},
		"connecting, a certificate is not taken": {&ConnectError{Err: errors.New("remote error: tls: bad certificate")}, CodeUnauthorized},
		"no answer came before the deadline":     {fmt.Errorf("read: %w", os.ErrDeadlineExceeded), CodeDeadline},
		"the deadline passed before":             {context.DeadlineExceeded, CodeDeadline},
		"the member closed the connection":       {io.EOF, CodeConnectionLost},
		"the member ended in its answer":         {io.ErrUnexpectedEOF, CodeConnectionLost},
		"the member reset the connection":        {fmt.Errorf("read: %w", syscall.ECONNRESET), CodeConnectionLost},
		"the kernel gave the connection up":      {syscall.ETIMEDOUT, CodeConnectionLost},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
