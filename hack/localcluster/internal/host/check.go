package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
)

const gigabyte = 1 << 30

// RequireRoot fails for anybody else.
func RequireRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("this needs root, for mounts, network interfaces and cgroups: run it with sudo -E")
	}
	return nil
}

// CheckKernel names every feature that is missing, and what to do.
func CheckKernel() error {
	var missing []error
	add := func(what, todo string) { missing = append(missing, fmt.Errorf("%s: %s", what, todo)) }

	if !hasFilesystem("overlay") {
		modprobe("overlay")
	}
	if !hasFilesystem("overlay") {
		add("the kernel has no overlay file system", "load the module overlay, or use a kernel with CONFIG_OVERLAY_FS")
	}
	if _, err := os.Stat("/proc/sys/net/bridge"); err != nil {
		modprobe("br_netfilter")
	}
	if _, err := os.Stat("/proc/sys/net/bridge"); err != nil {
		add("bridged packets don't pass the firewall", "load the module br_netfilter (CONFIG_BRIDGE_NETFILTER)")
	}
	hierarchies, err := cgroup.Mounted()
	if err != nil {
		missing = append(missing, err)
	} else if lacking, err := cgroup.Missing(hierarchies); err != nil || len(lacking) > 0 {
		add("cgroup controllers are missing: "+strings.Join(lacking, ", "), "enable them on the kernel's command line, e.g. cgroup_enable=memory")
	}
	if err := tryNft(); err != nil {
		add("nftables doesn't take kube-proxy's kind of rules", "use a kernel from 5.13 on with nf_tables, nft_numgen, nft_fib and nft_masq: "+err.Error())
	}
	return errors.Join(missing...)
}

// tryNft makes and removes a table that uses what kube-proxy uses.
func tryNft() error {
	table := NftProbe
	_, err := run(fmt.Sprintf(`
table ip %[1]s {
  map m { type ipv4_addr . inet_proto . inet_service : verdict; }
  chain post { type nat hook postrouting priority 100; ip daddr 192.0.2.1 masquerade; }
  chain pre { type nat hook prerouting priority -100; fib daddr type local numgen random mod 2 vmap { 0 : accept, 1 : accept }; }
}
delete table ip %[1]s
`, table), "nft", "-f", "-")
	return err
}

// NftProbe is the table that tryNft makes for an instant.
const NftProbe = "kvbench_probe"

func hasFilesystem(name string) bool {
	content, _ := os.ReadFile("/proc/filesystems")
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[len(fields)-1] == name {
			return true
		}
	}
	return false
}

func modprobe(name string) { _, _ = run("", "modprobe", name) }

// CheckDisk wants gigabytes free in dir, or in the nearest folder above it that exists.
func CheckDisk(dir string, gigabytes uint64, why string) error {
	for dir != "/" {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("looking at the disk of %s: %w", dir, err)
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if free < gigabytes*gigabyte {
		return fmt.Errorf("%s has %.1f GB free and %d GB are needed %s: free some, or set KVBENCH_CACHE (and GOCACHE, GOMODCACHE) to another disk",
			dir, float64(free)/gigabyte, gigabytes, why)
	}
	return nil
}
