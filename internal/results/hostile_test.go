// The race detector's own memory would be measured.
//go:build !race

package results

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A thousand callers that send what they like, all at once and never to an end, don't
// take the server's memory above 64 MB, and it answers when they have gone.
func TestHostileUploadsTakeLittleMemory(t *testing.T) {
	v := &victim{t: t, folder: t.TempDir()}
	v.ca = writeCertificate(t, v.folder)
	v.start()
	t.Cleanup(v.kill)
	must(t, v.as("controller").Register(t.Context(), runUID, planOf(runUID)))
	address, err := url.Parse(v.url)
	must(t, err)
	var callers sync.WaitGroup
	var met atomic.Int64
	for i := range 1000 {
		callers.Go(func() {
			if hostile(address.Host, i) {
				met.Add(1)
			}
		})
	}
	callers.Wait()
	if _, err := v.as("controller").State(t.Context(), runUID); err != nil {
		t.Errorf("afterwards the server doesn't answer: %v", err)
	}
	resident := peakResident(t, v.cmd.Process.Pid)
	t.Logf("%d callers were met, peak resident memory %d MiB", met.Load(), resident>>20)
	if met.Load() < 500 || resident > 64<<20 {
		t.Error("too few callers were met, or the server took more than 64 MiB")
	}
}

// hostile sends one kind of abuse, and never the rest of it. It is true when the server
// has met it: it took bytes, whatever it answered.
func hostile(address string, i int) bool {
	raw, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer raw.Close()
	if err := raw.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return false
	}
	connection := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13})
	if err := connection.Handshake(); err != nil {
		return false
	}
	if err := raw.SetDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return false
	}
	path := "/v1/runs/" + runUID
	head := func(method, path, token string, length int) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", method, path, token, length)
	}
	abuse := []string{
		head("PATCH", path+"/files/"+fileA0+"?offset=0", "worker", 8<<20) + strings.Repeat("x", 1<<20),
		head("PATCH", path+"/files/"+fileA0+"?offset=0", fmt.Sprint("forged-", i), 8<<20) + strings.Repeat("x", 64<<10),
		head("PATCH", path+"/files/"+fileA0+"?offset=0", "worker", 1<<40),
		head("PUT", path, "controller", 1<<20) + strings.Repeat("[", 1<<20),
		head("POST", path+"/claims", "worker", 1<<30) + strings.Repeat("{\"role\":", 1<<12),
		"GET /" + strings.Repeat("a", 1<<20),
		"GET / HTTP/1.1\r\nX: " + strings.Repeat("b", 1<<16),
		"\x00\xff\x16\x03",
	}
	// Neither a refusal in the middle of it nor its own deadline is the abuser's concern.
	_, _ = io.WriteString(connection, abuse[i%len(abuse)])
	_, _ = io.Copy(io.Discard, connection)
	return true
}

// peakResident is the most memory that the process had at once, the pages of its binary
// included.
func peakResident(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	t.Fatal("the kernel tells no VmHWM")
	return 0
}
