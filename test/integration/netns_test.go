//go:build root

package integration

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// netns is a network namespace without a name: it ends with its file, so a test that is
// killed leaves nothing.
type netns struct{ file *os.File }

func newNetns() (*netns, error) {
	n := &netns{}
	err := onThread(func() (err error) {
		if err = unix.Unshare(unix.CLONE_NEWNET); err == nil {
			n.file, err = os.Open("/proc/thread-self/ns/net")
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("making a network namespace: %w", err)
	}
	return n, n.ip("link set lo up")
}

// onThread calls do on a thread of its own, which ends with it: what do changes about its
// thread meets nobody else.
func onThread(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		done <- do()
	}()
	return <-done
}

// do calls a function in the namespace. Sockets that it makes and programs that it starts
// belong to the namespace for good.
func (n *netns) do(function func() error) error {
	return onThread(func() error {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("entering a network namespace: %w", err)
		}
		return function()
	})
}

// ip runs commands of iproute2 in the namespace.
func (n *netns) ip(commands ...string) error {
	return n.do(func() error {
		program := exec.Command("ip", "-batch", "-")
		program.Stdin = strings.NewReader(strings.Join(commands, "\n"))
		if said, err := program.CombinedOutput(); err != nil {
			return fmt.Errorf("ip: %w: %s", err, said)
		}
		return nil
	})
}

// path is where other programs find the namespace, as long as this one runs.
func (n *netns) path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), n.file.Fd()) }

// serve handles the connections to an address in the namespace, until the listener is closed.
func (n *netns) serve(address string, handle func(net.Conn)) (listener net.Listener, err error) {
	err = n.do(func() (err error) {
		listener, err = net.Listen("tcp4", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go handle(connection)
		}
	}()
	return listener, nil
}

// dial connects from the namespace.
func (n *netns) dial(address string) (connection net.Conn, err error) {
	err = n.do(func() (err error) {
		connection, err = net.DialTimeout("tcp4", address, 5*time.Second)
		return err
	})
	return connection, err
}
