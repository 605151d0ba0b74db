package results

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/certificates"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/listenlimit"
)

// victimFolder tells the test binary to be a server on this folder until it is killed.
const victimFolder = "KVBENCH_RESULTS_VICTIM"

func TestMain(m *testing.M) {
	if folder := os.Getenv(victimFolder); folder != "" {
		if err := beVictim(folder); err != nil {
			slog.Error("the victim failed", "error", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// beVictim serves with the certificate in the folder, and writes its address to stdout.
func beVictim(folder string) error {
	LimitMemory(256 << 20)
	// The end of the test, however it comes, is the end of this input.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	log := slog.New(slog.DiscardHandler)
	server, err := New(Config{
		Data: filepath.Join(folder, "data"), Limits: DefaultLimits(), Log: log, Now: time.Now, Report: inProcess(listingReport),
		Policy:   callers.Policy{Controllers: []string{"system:serviceaccount:kvbench-system:kvbench-controller"}},
		Reviewer: &fakeReviewer{who: tokens()}, Authorizer: &fakeAuthorizer{},
	})
	if err != nil {
		return err
	}
	files, err := certificates.Load(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"), log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString("https://" + listener.Addr().String() + "\n"); err != nil {
		return err
	}
	return HTTPServer(server, DefaultLimits(), files.Certificate, log).ServeTLS(listenlimit.New(listener, DefaultLimits().Connections, DefaultLimits().Connections), "", "")
}

// victim is a server in a process of its own.
type victim struct {
	t      *testing.T
	folder string
	ca     []byte
	cmd    *exec.Cmd
	url    string
}

func (v *victim) start() {
	v.t.Helper()
	v.cmd = exec.Command(os.Args[0])
	v.cmd.Env = append(os.Environ(), victimFolder+"="+v.folder)
	v.cmd.Stderr = os.Stderr
	_, err := v.cmd.StdinPipe()
	must(v.t, err)
	out, err := v.cmd.StdoutPipe()
	must(v.t, err)
	must(v.t, v.cmd.Start())
	line := make([]byte, 64)
	n, err := out.Read(line)
	must(v.t, err)
	v.url = strings.TrimSpace(string(line[:n]))
}

func (v *victim) kill() {
	v.t.Helper()
	must(v.t, v.cmd.Process.Kill())
	var exit *exec.ExitError
	if err := v.cmd.Wait(); !errors.As(err, &exit) {
		v.t.Fatal(err)
	}
}

func (v *victim) as(token string) *client.Client {
	v.t.Helper()
	c, err := client.New(client.Config{URL: v.url, CA: v.ca, Token: func() (string, error) { return token, nil }})
	must(v.t, err)
	return c
}

// A server that is killed at random moments, while bytes are sent to it all the time,
// loses none that it acknowledged and holds none twice.
func TestKillsLoseNothing(t *testing.T) {
	const kills = 12
	v := &victim{t: t, folder: t.TempDir()}
	v.ca = writeCertificate(t, v.folder)
	v.start()
	t.Cleanup(func() { _ = v.cmd.Process.Kill() })
	must(t, v.as("controller").Register(t.Context(), runUID, planOf(runUID)))
	start, err := v.as("controller").StartIn(t.Context(), runUID, "a", time.Minute)
	must(t, err)
	must(t, v.as("worker").Claim(t.Context(), runUID, writerA0))

	random := rand.New(rand.NewPCG(1, 2))
	content := numbers(4 << 20)
	var acknowledged int64
	for range kills {
		time.AfterFunc(time.Duration(20+random.IntN(150))*time.Millisecond, func() { _ = v.cmd.Process.Kill() })
		acknowledged = sendUntilItDies(t, v.as("worker"), content, acknowledged, random)
		var exit *exec.ExitError
		if err := v.cmd.Wait(); !errors.As(err, &exit) {
			t.Fatal(err)
		}
		v.start()
		state, err := v.as("controller").State(t.Context(), runUID)
		must(t, err)
		for _, file := range state.Files {
			if file.Length < acknowledged {
				t.Fatalf("%d bytes were acknowledged, %d are there", acknowledged, file.Length)
			}
		}
		again, err := v.as("controller").StartIn(t.Context(), runUID, "a", time.Second)
		must(t, err)
		if again != start || len(state.Claims) != 1 {
			t.Fatalf("start %v was %v, claims %v", again, start, state.Claims)
		}
	}
	t.Logf("%d bytes were sent under %d kills", acknowledged, kills)
	end := sendRest(t, v.as("worker"), content)
	must(t, v.as("worker").End(t.Context(), runUID, fileA0, end))
	v.kill()
	kept, err := os.ReadFile(filepath.Join(v.folder, "data", runsFolder, runUID, fileA0))
	must(t, err)
	if !bytes.Equal(kept, content) {
		t.Error("the file differs from what was sent")
	}
}

// numbers is content in which every place is another.
func numbers(length int) []byte {
	content := make([]byte, 0, length)
	for i := uint64(0); len(content) < length; i++ {
		content = binary.BigEndian.AppendUint64(content, i)
	}
	return content
}

// sendUntilItDies appends piece after piece, and returns the last acknowledged length.
func sendUntilItDies(t *testing.T, c *client.Client, content []byte, from int64, random *rand.Rand) int64 {
	t.Helper()
	acknowledged := from
	for offset := from; ; {
		to := min(int64(len(content)), offset+1+random.Int64N(2000))
		length, err := c.Append(context.Background(), runUID, fileA0, offset, content[offset:to])
		switch {
		case err == nil && length == to, errors.Is(err, client.ErrOffset):
			offset, acknowledged = length, length
		case err == nil:
			t.Fatalf("an append up to %d was answered with %d", to, length)
		case client.Transient(err):
			return acknowledged
		default:
			t.Fatal(err)
		}
	}
}

func sendRest(t *testing.T, c *client.Client, content []byte) bundle.End {
	t.Helper()
	for offset := int64(0); offset < int64(len(content)); {
		length, err := c.Append(t.Context(), runUID, fileA0, offset, content[offset:])
		if err != nil && !errors.Is(err, client.ErrOffset) {
			t.Fatal(err)
		}
		offset = length
	}
	return endOf(string(content))
}
