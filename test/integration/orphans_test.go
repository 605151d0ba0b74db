package integration

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// endWithUs ends the processes that this one has started by now when this one ends, however it does:
// envtest puts its servers into groups of their own, which no signal from a terminal reaches. A shell
// waits for a word on a pipe, or for the pipe's end.
func endWithUs() {
	GinkgoHelper()
	arguments := append([]string{"-c", `read -r word || kill -KILL "$@"`, "sh"}, children()...)
	watch := exec.Command("/bin/sh", arguments...)
	watch.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := watch.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(watch.Start()).To(Succeed())
	DeferCleanup(func() {
		_, err := io.WriteString(pipe, "done\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(watch.Wait()).To(Succeed())
	})
}

// children are the numbers of the processes whose parent this one is.
func children() (numbers []string) {
	GinkgoHelper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	Expect(err).NotTo(HaveOccurred())
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err == nil { // or the thread has ended meanwhile
			numbers = append(numbers, strings.Fields(string(text))...)
		}
	}
	Expect(numbers).NotTo(BeEmpty())
	return numbers
}
