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

// handedOut counts ports: none is handed out twice, since its member may be down when another
// test looks. Processes begin at different ones.
var handedOut = struct {
	sync.Mutex
	count int
}{count: os.Getpid() * 100}

// FreePorts are loopback addresses at whose ports nobody listens, nor that much above them.
func FreePorts(t testing.TB, n int, above ...int) (addresses []string) {
	t.Helper()
	handedOut.Lock()
	defer handedOut.Unlock()
	for range portCount {
		if len(addresses) == n {
			return addresses
		}
		handedOut.count++
		port := firstPort + handedOut.count%portCount
		free := isFree(port)
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

func isFree(port int) bool {
	listener, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return false
	}
	_ = listener.Close()
	return true
}

func loopback(port int) string { return fmt.Sprint("127.0.0.1:", port) }
