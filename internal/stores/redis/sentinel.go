package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// word is what a Sentinel says of the primary.
type word struct {
	address string // host:port
	epoch   uint64 // of the failover that made it the primary; the higher one is the truer
	// Of the others that it knows, without which it can do nothing when the primary ends.
	replicas, sentinels int
}

// askSentinel asks for the epoch first, so that the address is never older than it.
func askSentinel(ctx context.Context, p *peer) (word, error) {
	_, err := p.ask(ctx, []string{"SENTINEL", "MASTER", masterName}, []string{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName})
	if err != nil && !isReply(err) {
		return word{}, err
	}
	return readWord(p.value(0), p.value(1))
}

// readWord reads the two answers, which are of a store of the run's choice.
func readWord(master, address resp.Value) (w word, err error) {
	at, err := address.Texts()
	if err == nil && len(at) != 2 {
		err = fmt.Errorf("it answered %v", at)
	}
	if err != nil {
		return w, fmt.Errorf("the Sentinel knows no primary called %s: %w", masterName, err)
	}
	w.address = net.JoinHostPort(at[0], at[1])
	pairs, err := master.Texts()
	if err != nil {
		return w, err
	}
	var problems []error
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		problems = append(problems, err)
		return n
	}
	known := false
	for i := 0; i+1 < len(pairs); i += 2 {
		switch pairs[i] {
		case "config-epoch":
			known = true
			w.epoch, err = strconv.ParseUint(pairs[i+1], 10, 63)
			problems = append(problems, err)
		case "num-slaves":
			w.replicas = number(pairs[i+1])
		case "num-other-sentinels":
			w.sentinels = number(pairs[i+1])
		}
	}
	if !known {
		return w, errors.New("the Sentinel says nothing of its epoch")
	}
	return w, errors.Join(problems...)
}

// sentinelOf is the address of the Sentinel beside a server.
func sentinelOf(address string) (string, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("redis: address %q: %w", address, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port+sentinelOffset > 65535 {
		return "", fmt.Errorf("redis: address %q: its Sentinel would have the port %d more than it, which there is not: use a lower one", address, sentinelOffset)
	}
	return net.JoinHostPort(host, fmt.Sprint(port+sentinelOffset)), nil
}
