package chaosmesh

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// The daemon's base: Chaos Mesh's own is Debian 12 with these packages.
const (
	baseSuite    = "bookworm"
	basePackages = "ipset,iproute2,iptables,procps,stress-ng,util-linux"
	// baseRecipe counts changes of what is done after debootstrap.
	baseRecipe = "1"
)

// daemonBase returns the tar of a minimal Debian, made once and kept.
func (m Maker) daemonBase(ctx context.Context) (string, error) {
	name := "base-" + baseSuite + "-" + runtime.GOARCH + "-" + baseRecipe
	out := filepath.Join(m.Images.Dir, name+".tar")
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	if err := host.Install(m.Images.Report, host.ForChaosImages()); err != nil {
		return "", err
	}
	temp, remove, err := scratch.Dir(m.Images.Dir)
	if err != nil {
		return "", err
	}
	defer remove()
	root := filepath.Join(temp, "root")
	err = m.Images.Report.Step("installing a minimal Debian for the chaos-daemon image (about half a minute)", func(detail func(string)) error {
		steps := [][]string{
			{"debootstrap", "--variant=minbase", "--include=" + basePackages, baseSuite, root, debianMirror()},
			// The kernels that this runs on needn't know each other's nftables dialect.
			{"chroot", root, "update-alternatives", "--set", "iptables", "/usr/sbin/iptables-legacy"},
			{"chroot", root, "update-alternatives", "--set", "ip6tables", "/usr/sbin/ip6tables-legacy"},
			{"tar", "--create", "--file=" + filepath.Join(temp, "base.tar"), "--directory=" + root,
				"--sort=name", "--mtime=@0", "--numeric-owner",
				"--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "--exclude=./var/cache/apt/*",
				"--exclude=./var/lib/apt/lists/*", "--exclude=./var/log/*", "--exclude=./usr/share/doc/*",
				"--exclude=./usr/share/man/*", "--exclude=./usr/share/locale/*", "."},
		}
		for _, step := range steps {
			if err := logged(ctx, detail, step); err != nil {
				return err
			}
		}
		return os.Rename(filepath.Join(temp, "base.tar"), out)
	})
	return out, err
}

func logged(ctx context.Context, detail func(string), args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	// debootstrap mounts /proc into the tree; even if it is killed, that ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	tail := make(chan string, 1)
	go func() {
		var last []string
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			detail(lines.Text())
			last = append(last, lines.Text())
			last = last[max(0, len(last)-10):]
		}
		tail <- strings.Join(last, "\n")
	}()
	err := cmd.Run()
	writer.Close()
	if text := <-tail; err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return nil
}

// debianMirror is the one that this machine's apt uses, because it may be the
// only one that can be reached.
func debianMirror() string {
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages").Output()
	if err == nil {
		if mirror := pickMirror(string(out)); mirror != "" {
			return mirror
		}
	}
	return "http://deb.debian.org/debian"
}

// pickMirror takes the first archive that is Debian's main one.
func pickMirror(targets string) string {
	for line := range strings.Lines(targets) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[1] == baseSuite && !strings.Contains(fields[0], "security") {
			return fields[0]
		}
	}
	return ""
}
