package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// wanted are the kernel settings that the cluster needs. An empty value is set
// by kubelet itself, and is here to be noted and put back.
var wanted = map[string]string{
	"net/ipv4/ip_forward":                "1",
	"net/bridge/bridge-nf-call-iptables": "1",
	"fs/inotify/max_user_instances":      "8192",
	"fs/inotify/max_user_watches":        "524288",
	"vm/overcommit_memory":               "",
	"vm/panic_on_oom":                    "",
	"kernel/panic":                       "",
	"kernel/panic_on_oops":               "",
	"kernel/keys/root_maxkeys":           "",
	"kernel/keys/root_maxbytes":          "",
}

// SysctlValues reads the present values of all settings that will change.
func SysctlValues() map[string]string {
	values := map[string]string{}
	for name := range wanted {
		if content, err := os.ReadFile(filepath.Join("/proc/sys", name)); err == nil {
			values[name] = strings.TrimSpace(string(content))
		}
	}
	return values
}

// SetSysctls makes the settings. Limits are only ever raised.
func SetSysctls() error {
	for name, value := range wanted {
		if value == "" {
			continue
		}
		file := filepath.Join("/proc/sys", name)
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the kernel setting %s: %w", name, err)
		}
		current := strings.TrimSpace(string(content))
		if current == value || strings.HasPrefix(name, "fs/") && atLeast(current, value) {
			continue
		}
		if err := os.WriteFile(file, []byte(value), 0o644); err != nil {
			return fmt.Errorf("setting %s to %s: %w", name, value, err)
		}
	}
	return nil
}

func atLeast(current, value string) bool {
	var a, b int
	fmt.Sscan(current, &a)
	fmt.Sscan(value, &b)
	return a >= b
}

// RestoreSysctls puts noted values back.
func RestoreSysctls(values map[string]string) error {
	var failed error
	for name, value := range values {
		if _, ours := wanted[name]; !ours {
			continue
		}
		err := os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0o644)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("putting %s back to %s: %w", name, value, err))
		}
	}
	return failed
}
