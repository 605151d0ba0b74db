package host

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Need is something that a Debian package brings.
type Need struct {
	Package string
	// Program that is looked up, or else File that must exist.
	Program string
	File    string
	Why     string
}

// ForNodes is what a running cluster uses.
func ForNodes() []Need {
	return []Need{
		{Package: "iproute2", Program: "ip", Why: "makes the nodes' bridges"},
		{Package: "nftables", Program: "nft", Why: "kube-proxy's rules"},
		{Package: "mount", Program: "mount", Why: "kubelet mounts volumes with it"},
	}
}

// ForRunc is what building runc takes beside Go and gcc.
func ForRunc() []Need {
	return []Need{
		{Package: "pkg-config", Program: "pkg-config", Why: "runc's build finds libseccomp with it"},
		{Package: "libseccomp-dev", File: "/usr/include/seccomp.h", Why: "runc's system call filters"},
	}
}

// ForChaosImages is what building Chaos Mesh's daemon image takes.
func ForChaosImages() []Need {
	return []Need{{Package: "debootstrap", Program: "debootstrap", Why: "the base of the chaos-daemon image"}}
}

// ForKubeRouter is what kube-router enforces network policies with.
func ForKubeRouter() []Need {
	return []Need{
		{Package: "iproute2", Program: "ip", Why: "makes the network in which policies are tried"},
		{Package: "iptables", Program: "iptables", Why: "kube-router's rules"},
		{Package: "ipset", Program: "ipset", Why: "the addresses in kube-router's rules"},
	}
}

// Toolchain can't be installed by us: a version that is too old is worse than none.
func Toolchain() error {
	for program, advice := range map[string]string{
		"go":  "install Go 1.26 or newer from https://go.dev/dl and put it on PATH",
		"gcc": "apt-get install gcc libc6-dev",
	} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: %s", program, advice)
		}
	}
	return nil
}

func (n Need) missing() bool {
	if n.File != "" {
		_, err := os.Stat(n.File)
		return err != nil
	}
	if _, err := exec.LookPath(n.Program); err == nil {
		return false
	}
	// A user's PATH often lacks the administrator's folders.
	for _, dir := range []string{"/usr/sbin/", "/sbin/"} {
		if _, err := os.Stat(dir + n.Program); err == nil {
			return false
		}
	}
	return true
}

// Install brings what is missing, after saying so.
func Install(report *progress.Reporter, needs []Need) error {
	var packages, reasons []string
	for _, n := range needs {
		if n.missing() {
			packages = append(packages, n.Package)
			reasons = append(reasons, fmt.Sprintf("  %s: %s", n.Package, n.Why))
		}
	}
	if len(packages) == 0 {
		return nil
	}
	command := "apt-get install " + strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("these Debian packages, or your distribution's counterparts, are missing: %s", strings.Join(packages, " "))
	}
	report.Say("Missing on this machine, and installed now with apt-get:\n%s", strings.Join(reasons, "\n"))
	for _, args := range [][]string{
		{"update", "-q"},
		append([]string{"install", "-y", "-q", "--no-install-recommends"}, packages...),
	} {
		err := report.Step("apt-get "+args[0], func(detail func(string)) error { return apt(detail, args...) })
		// The lists may be stale and still do: only the installation decides.
		if err != nil && args[0] == "install" {
			return fmt.Errorf("%w\ninstall them by hand: %s", err, command)
		}
	}
	return nil
}

func apt(detail func(string), args ...string) error {
	cmd := exec.Command("apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	last := make(chan string, 1)
	go func() {
		var tail []string
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			detail(lines.Text())
			tail = append(tail, lines.Text())
			tail = tail[max(0, len(tail)-8):]
		}
		last <- strings.Join(tail, "\n")
	}()
	err := cmd.Run()
	writer.Close()
	if tail := <-last; err != nil {
		return fmt.Errorf("%w:\n%s", err, tail)
	}
	return nil
}
