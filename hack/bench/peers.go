package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The peers' folders below the cache have their versions in their names: another version
// is another installation.
const (
	goYCSBFolder = "go-ycsb-" + goYCSBVersion
	ycsbFolder   = "ycsb-" + ycsbVersion
)

// defaultCache is a folder of the cache of the local cluster (hack/localcluster).
func defaultCache() string {
	if cache := os.Getenv("KVBENCH_CACHE"); cache != "" {
		return filepath.Join(cache, "peers")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "kvbench", "peers")
	}
	return filepath.Join(cache, "kvbench", "peers")
}

// install brings the peers that are missing into the cache.
func install(ctx context.Context, cache string) error {
	for _, peer := range []struct {
		folder string
		into   func(ctx context.Context, folder string) error
	}{{goYCSBFolder, installGoYCSB}, {ycsbFolder, installYCSB}} {
		if err := once(ctx, filepath.Join(cache, peer.folder), peer.into); err != nil {
			return fmt.Errorf("install %s: %w", peer.folder, err)
		}
	}
	return nil
}

// once makes a folder as a whole or not at all.
func once(ctx context.Context, folder string, into func(context.Context, string) error) error {
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	fmt.Fprintln(os.Stderr, "Installing", folder)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(folder), ".unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	if err := into(ctx, unfinished); err != nil {
		return err
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return err
	}
	return os.Rename(unfinished, folder)
}

// installed are the peers that can run. It says which cannot, and why.
func installed(cache string) (peers []program) {
	binary := filepath.Join(cache, goYCSBFolder, goYCSBProgram)
	if _, err := os.Stat(binary); err == nil {
		peers = append(peers, goYCSB(binary))
	} else {
		missing("go-ycsb", err)
	}
	folder := filepath.Join(cache, ycsbFolder)
	java, err := exec.LookPath("java")
	if err == nil {
		_, err = os.Stat(folder)
	}
	if err == nil {
		peers = append(peers, ycsb(java, folder))
	} else {
		missing("YCSB", err)
	}
	return peers
}

func missing(peer string, why error) {
	fmt.Fprintf(os.Stderr, "%s takes no part: %v; `make bench-peers` installs peers, Java has to be there\n", peer, why)
}
