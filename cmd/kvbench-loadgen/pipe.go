package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/ycsb"
)

// endUnread ends the work in order when nobody reads any more what the program prints, as
// with `| head`. The same signal comes from connections to a store that went away, which is
// no reason to end.
func endUnread(cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	go func() {
		for range signals {
			if unread() {
				cancel(&ycsb.Signalled{Signal: syscall.SIGPIPE})
			}
		}
	}()
}

// ofUnread says whether a command ended so.
func ofUnread(err error) bool {
	var signalled *ycsb.Signalled
	broken := errors.Is(err, syscall.EPIPE) || errors.As(err, &signalled) && signalled.Signal == syscall.SIGPIPE
	return broken && unread()
}

// unread says whether standard output or standard error is a pipe without a reader.
func unread() bool {
	pipes := []unix.PollFd{{Fd: int32(syscall.Stdout)}, {Fd: int32(syscall.Stderr)}}
	_, err := unix.Poll(pipes, 0)
	return err == nil && (pipes[0].Revents|pipes[1].Revents)&unix.POLLERR != 0
}
