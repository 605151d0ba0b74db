package conformance

import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
)

// Servers listen at ports below those that Linux gives to outgoing connections (32,768 and above),
// which could take the port of a member that is killed. Stores that add 10,000 or 20,000 to their
// port for a second one find that free as well.
const (
	firstPort = 2000
	portCount = 10000
)

// ports hands each port out once, since its member may be down when another test looks.
type ports struct {
	mu     sync.Mutex
	count  int
	claims []net.Listener // open for as long as the process runs
}

// Processes begin at different ports.
var ofThisProcess = ports{count: os.Getpid() * 100}

// FreePorts are loopback addresses at whose ports nobody listens, nor that much above them.
func FreePorts(t testing.TB, n int, above ...int) (addresses []string) {
	t.Helper()
	return ofThisProcess.take(t, n, above...)
}

func (p *ports) take(t testing.TB, n int, above ...int) (addresses []string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for range portCount {
		if len(addresses) == n {
			return addresses
		}
		p.count++
		port := firstPort + p.count%portCount
		// A look at another process' port would be in the way of who starts there.
		free := p.claim(port) && isFree(port)
		for _, offset := range above {
			free = free && isFree(port+offset)
		}
		if free {
			addresses = append(addresses, loopback(port))
		}
	}
	t.Fatalf("there are no %d free ports among %d to %d", n, firstPort, firstPort+portCount-1)
	return nil
}

// claim is refused where another process has claimed the port. It listens at an abstract name, which
// is free again when its process is gone, however that ended (unix(7)).
func (p *ports) claim(port int) bool {
	claim, err := net.Listen("unix", fmt.Sprint("@kvbench-conformance-port-", port))
	if err != nil {
		return false
	}
	p.claims = append(p.claims, claim)
	return true
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return false
	}
	_ = listener.Close()
	return true
}

func loopback(port int) string { return fmt.Sprint("127.0.0.1:", port) }
