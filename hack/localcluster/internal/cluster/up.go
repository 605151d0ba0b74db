package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/chaosmesh"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Up is a request for a running cluster.
type Up struct {
	Paths  layout.Paths
	Cache  binaries.Cache
	Report *progress.Reporter
	Nodes  int
	// ChaosMesh builds and loads Chaos Mesh's images too.
	ChaosMesh bool

	built map[string]binaries.Built
}

// Run leaves a sound cluster with all its nodes and images. On one that is
// sound already it does what is left to do, which may be nothing.
func (u *Up) Run(ctx context.Context) error {
	if err := u.checkMachine(); err != nil {
		return err
	}
	record, err := u.existing(ctx)
	if err != nil {
		return err
	}
	programs, err := u.programs(ctx)
	if err != nil {
		return err
	}
	archives, err := u.archives(ctx)
	if err != nil {
		return err
	}
	if record == nil {
		if record, err = u.create(ctx, programs, archives[:basicImages]); err != nil {
			return err
		}
	} else if err := u.restore(ctx, record, archives[:basicImages]); err != nil {
		return err
	}
	loader := images.Loader{Ctr: record.Programs["ctr"], Report: u.Report}
	if err := loader.Load(ctx, u.Paths.Nodes(record.Nodes), archives...); err != nil {
		return err
	}
	return u.waitReady(ctx, record)
}

func (u *Up) checkMachine() error {
	if err := host.RequireRoot(); err != nil {
		return err
	}
	if u.Nodes < 1 || u.Nodes > layout.MaxNodes {
		return fmt.Errorf("--nodes must be from 1 to %d", layout.MaxNodes)
	}
	if err := host.Install(u.Report, host.ForNodes()); err != nil {
		return err
	}
	if err := host.CheckKernel(); err != nil {
		return fmt.Errorf("this machine can't run the cluster:\n%w", err)
	}
	return nil
}

// existing returns the record of a sound cluster, or clears away what there is
// of another one and returns nil.
func (u *Up) existing(ctx context.Context) (*Record, error) {
	record, err := loadRecord(u.Paths)
	if err == nil {
		ailments := record.Ailments(ctx, u.Paths)
		if len(ailments) == 0 {
			if u.Nodes < record.Nodes {
				return nil, fmt.Errorf("%d nodes are up and %d are wanted: nodes aren't taken away from a cluster; run `localcluster down` first", record.Nodes, u.Nodes)
			}
			return record, nil
		}
		u.Report.Say("An earlier cluster is not whole, so a new one takes its place: %s.", strings.Join(ailments, "; "))
	} else if !errors.Is(err, fs.ErrNotExist) {
		u.Report.Say("An earlier cluster can't be understood, so a new one takes its place: %v.", err)
	}
	remains := Remains(u.Paths)
	if len(remains) == 0 {
		return nil, nil
	}
	return nil, u.Report.Step("clearing away "+strings.Join(remains, ", "), func(func(string)) error { return Clean(u.Paths) })
}

// basicImages is how many of archives a node can't do without.
const basicImages = 2

// archives builds the images that are missing. The basic ones come first.
func (u *Up) archives(ctx context.Context) ([]string, error) {
	builder := images.Builder{Dir: u.Paths.Images(), Report: u.Report}
	pause, err := builder.Pause(ctx)
	if err != nil {
		return nil, err
	}
	dns, err := builder.CoreDNS(u.built[binaries.CoreDNS.Name])
	if err != nil {
		return nil, err
	}
	store, err := builder.Etcd(u.built[binaries.Etcd.Name])
	if err != nil {
		return nil, err
	}
	archives := []string{pause, dns, store}
	if u.ChaosMesh {
		maker := chaosmesh.Maker{Cache: u.Cache, Images: builder}
		chaos, err := maker.Archives(ctx)
		if err != nil {
			return nil, err
		}
		archives = append(archives, chaos...)
	}
	return archives, nil
}

// create makes a cluster on a machine that has none.
func (u *Up) create(ctx context.Context, programs map[string]string, basic []string) (*Record, error) {
	if err := host.CheckDisk(u.Paths.State, 5, "for the nodes' images and volumes"); err != nil {
		return nil, err
	}
	if other, err := host.ConflictingAddress(); err != nil || other != "" {
		return nil, errors.Join(err, fmt.Errorf("the interface %s uses addresses that the cluster needs (%s, %s)", other, layout.PodNetwork, layout.ServiceNetwork))
	}
	if host.OtherKubeProxy() {
		return nil, errors.New("another cluster's kube-proxy has its nftables tables on this machine: stop it, and `nft delete table ip kube-proxy`")
	}
	if err := os.MkdirAll(u.Paths.State, 0o755); err != nil {
		return nil, err
	}
	record := &Record{Nodes: u.Nodes, Created: time.Now(), Programs: programs, Sysctls: host.SysctlValues()}
	if err := record.save(u.Paths); err != nil {
		return nil, err
	}
	if err := u.prepareMachine(record); err != nil {
		return nil, err
	}
	if err := u.startControlPlane(ctx, record); err != nil {
		return nil, err
	}
	if err := u.startNodes(ctx, record, u.Paths.Nodes(u.Nodes), basic); err != nil {
		return nil, err
	}
	if err := u.installAddons(ctx, record); err != nil {
		return nil, err
	}
	record.Complete = true
	return record, record.save(u.Paths)
}

// prepareMachine changes what is outside of the state folder, noting it first.
func (u *Up) prepareMachine(record *Record) error {
	made, err := host.MakeMountPoints(layout.MountPoints())
	record.MountPoints = made
	return errors.Join(err,
		record.save(u.Paths),
		copySelf(u.Paths.Self()),
		host.SetSysctls(),
		host.MakeBridge(layout.ControlBridge, layout.ControlAddress+"/24", 0),
		host.InstallRules(u.Paths.Nodes(u.Nodes)),
	)
}

// restore brings a sound cluster to what is asked for: nodes that were stopped,
// and more of them.
func (u *Up) restore(ctx context.Context, record *Record, basic []string) error {
	for _, name := range record.Stopped {
		if err := StartNode(ctx, u.Paths, u.Report, name); err != nil {
			return err
		}
	}
	if len(record.Stopped) > 0 {
		record.Stopped = nil
	}
	if u.Nodes == record.Nodes {
		return nil
	}
	all := u.Paths.Nodes(u.Nodes)
	added := all[record.Nodes:]
	if err := host.InstallRules(all); err != nil {
		return err
	}
	if err := u.startNodes(ctx, record, added, basic); err != nil {
		return err
	}
	record.Nodes = u.Nodes
	return record.save(u.Paths)
}

func copySelf(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.OpenFile(to+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, from); err != nil {
		out.Close()
		return err
	}
	return errors.Join(out.Close(), os.Rename(to+".new", to))
}

func dirOf(program string) string { return filepath.Dir(program) }
