package conformance

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// No cleanup is made where the tests are killed, or take too long.
func TestServersEndWithTheTests(t *testing.T) {
	const asServersTests = "KVBENCH_TEST_STARTS_A_SERVER"
	if os.Getenv(asServersTests) != "" {
		server := &Process{Command: func() *exec.Cmd {
			command := exec.Command("sleep", "60")
			command.ExtraFiles = []*os.File{os.Stdout}
			return command
		}}
		server.Start(t)
		os.Exit(0)
	}
	t.Parallel()
	held, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	tests := exec.Command(os.Args[0], "-test.run=^TestServersEndWithTheTests$")
	tests.Env = append(os.Environ(), asServersTests+"=1")
	tests.Stdout = stdout
	err = tests.Run()
	stdout.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := held.SetReadDeadline(time.Now().Add(opTimeout)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Errorf("the server goes on without the tests that started it: %v", err)
	}
}
