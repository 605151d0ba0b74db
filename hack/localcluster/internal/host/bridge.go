package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

var ourBridge = regexp.MustCompile("^" + layout.BridgePrefix + `[0-9]+$`)

// MakeBridge makes the i-th bridge with address (CIDR notation). It may be there
// already: a node that is started again finds its own.
func MakeBridge(name, address string, i int) error {
	if _, err := net.InterfaceByName(name); err != nil {
		// A fixed hardware address, or the bridge takes that of its lowest port
		// and changes it as pods come and go.
		mac := fmt.Sprintf("02:6b:76:62:00:%02x", i)
		if _, err := run("", "ip", "link", "add", name, "address", mac, "type", "bridge"); err != nil {
			return fmt.Errorf("making the bridge %s (does the kernel have CONFIG_BRIDGE?): %w", name, err)
		}
	}
	if _, err := run("", "ip", "addr", "replace", address, "dev", name); err != nil {
		return err
	}
	_, err := run("", "ip", "link", "set", name, "up")
	return err
}

type link struct {
	Name   string `json:"ifname"`
	Master string `json:"master"`
	Info   struct {
		Kind string `json:"info_kind"`
	} `json:"linkinfo"`
}

// ourLinks picks our bridges, and the pods' veths that are plugged into them.
func ourLinks(links []link) []string {
	var veths, bridges []string
	for _, l := range links {
		switch {
		case l.Info.Kind == "veth" && ourBridge.MatchString(l.Master):
			veths = append(veths, l.Name)
		case l.Info.Kind == "bridge" && ourBridge.MatchString(l.Name):
			bridges = append(bridges, l.Name)
		}
	}
	return append(veths, bridges...)
}

// Links lists our interfaces.
func Links() ([]string, error) {
	out, err := run("", "ip", "-details", "-json", "link", "show")
	if err != nil {
		return nil, err
	}
	var links []link
	if err := json.Unmarshal([]byte(out), &links); err != nil {
		return nil, fmt.Errorf("reading the machine's interfaces: %w", err)
	}
	return ourLinks(links), nil
}

// RemoveLinks deletes our interfaces.
func RemoveLinks() error {
	names, err := Links()
	for _, name := range names {
		if _, e := run("", "ip", "link", "delete", name); e != nil {
			// A veth goes together with its pod's end, maybe a moment before us.
			if _, still := net.InterfaceByName(name); still == nil {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// ConflictingAddress names an interface of somebody else's within our networks.
func ConflictingAddress() (string, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return "", err
	}
	for _, i := range interfaces {
		if ourBridge.MatchString(i.Name) {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && overlaps(n) {
				return i.Name + " " + n.String(), nil
			}
		}
	}
	return "", nil
}

func overlaps(n *net.IPNet) bool {
	for _, cidr := range []string{layout.PodNetwork, layout.ServiceNetwork} {
		_, ours, _ := net.ParseCIDR(cidr)
		if ours.Contains(n.IP) || n.Contains(ours.IP) {
			return true
		}
	}
	return false
}
