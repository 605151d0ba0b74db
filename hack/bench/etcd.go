package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// etcd is a single member on loopback, with its data in a temporary folder.
type etcd struct {
	cmd     *exec.Cmd
	output  *bounded
	ended   chan error
	folder  string
	address string
}

const (
	etcdReady = 30 * time.Second
	etcdStop  = 10 * time.Second
)

// startEtcd returns when the member serves. It doesn't wait for its disk, so that the
// clients are compared and not two moments of a disk.
func startEtcd(ctx context.Context, binary string) (*etcd, error) {
	folder, err := os.MkdirTemp("", "kvbench-bench-etcd-")
	if err != nil {
		return nil, err
	}
	e := &etcd{folder: folder, output: &bounded{}, ended: make(chan error, 1)}
	addresses, err := freeAddresses(2)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	e.address = addresses[0]
	client, peer := "http://"+addresses[0], "http://"+addresses[1]
	e.cmd = exec.CommandContext(ctx, binary, "--name=bench", "--data-dir="+folder,
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=bench="+peer,
		"--unsafe-no-fsync", "--log-level=warn")
	e.cmd.Stdout, e.cmd.Stderr = e.output, e.output
	alone(e.cmd)
	if err := e.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start etcd: %w", err), os.RemoveAll(folder))
	}
	go func() { e.ended <- e.cmd.Wait() }()
	if err := e.await(ctx); err != nil {
		return nil, errors.Join(err, e.stop())
	}
	return e, nil
}

// await asks for the member's health until it is well.
func (e *etcd) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, etcdReady)
	defer cancel()
	for tick := time.Tick(50 * time.Millisecond); ; {
		if e.healthy(ctx) {
			return nil
		}
		select {
		case err := <-e.ended:
			e.ended <- err
			return fmt.Errorf("etcd has ended: %w\n%s", err, tail(e.output.String()))
		case <-ctx.Done():
			return fmt.Errorf("etcd does not serve: %w\n%s", context.Cause(ctx), tail(e.output.String()))
		case <-tick:
		}
	}
}

func (e *etcd) healthy(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.address+"/health", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// properties say to the programs where it is.
func (e *etcd) properties() []string { return []string{"etcd.endpoints=" + e.address} }

// stop ends the member and takes its data away.
func (e *etcd) stop() error {
	_ = e.cmd.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-e.ended:
	case <-time.After(etcdStop):
		_ = e.cmd.Cancel()
		<-e.ended
	}
	return os.RemoveAll(e.folder)
}

// freeAddresses are on loopback, and nobody listens there at the moment.
func freeAddresses(n int) (addresses []string, err error) {
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}
