package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// firstThreadEnds makes this program one whose first thread has ended, and others run.
const firstThreadEnds = "KVBENCH_TEST_FIRST_THREAD_ENDS"

func init() {
	if os.Getenv(firstThreadEnds) == "" {
		return
	}
	runtime.LockOSThread() // which is the first one, as long as functions called init run
	go func() {
		time.Sleep(time.Minute)
		os.Exit(0)
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// So is a process, for a moment, that turns itself into another program.
func TestAProcessWhoseFirstThreadHasEndedIsAlive(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), firstThreadEnds+"=yes")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := Identify(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, err := Read(id.Pid)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the first thread has not ended: %+v, %v", stat, err)
		}
		if stat.State == 'Z' {
			break
		}
	}
	if !id.Alive() {
		t.Error("it counts as ended")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); id.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it counts as alive, and was killed")
		}
	}
	_ = child.Wait()
}
