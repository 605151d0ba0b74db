package chartsource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/kvbench/kvbench/internal/helm"
)

func (f *Fetcher) fromRepository(ctx context.Context, source Source) ([]byte, error) {
	base, err := url.Parse(strings.TrimSuffix(source.URL, "/") + "/")
	if err != nil {
		return nil, missing("%s is no address: %v", source.URL, err)
	}
	text, err := f.get(ctx, base.JoinPath("index.yaml"), maxIndexBytes)
	if err != nil {
		return nil, err
	}
	found, err := findEntry(text, source.Name, source.Version)
	if err != nil {
		return nil, missing("the index.yaml of %s can't be read: %v", source.URL, err)
	}
	if found.url != "" {
		if registry, version, ok := inRegistry(found.url); ok {
			return f.fromRegistry(ctx, registry, version)
		}
		return f.archive(ctx, base, found.url, strings.TrimPrefix(found.digest, "sha256:"))
	}
	return nil, missing("the repository %s has no chart %s of version %s: correct name or version", source.URL, source.Name, source.Version)
}

// inRegistry says where a repository's chart is in a registry: oci://host/path:version.
func inRegistry(address string) (registry, version string, ok bool) {
	if !strings.HasPrefix(address, "oci://") {
		return "", "", false
	}
	at := strings.LastIndex(address, ":")
	return address[:at], address[at+1:], at > strings.LastIndex(address, "/")
}

func (f *Fetcher) archive(ctx context.Context, base *url.URL, address, digest string) ([]byte, error) {
	relative, err := url.Parse(address)
	if err != nil {
		return nil, missing("the index.yaml of %s has a chart without an address: %v", base, err)
	}
	packed, err := f.get(ctx, base.ResolveReference(relative), helm.MaxArchiveBytes)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(packed); digest != "" && hex.EncodeToString(sum[:]) != digest {
		return nil, missing("%s isn't the chart of the digest that the repository's index.yaml has", address)
	}
	return packed, nil
}

func (f *Fetcher) get(ctx context.Context, address *url.URL, most int) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, missing("%s can't be asked: %v", address, err)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return readAtMost(response.Body, most, address.String())
	case http.StatusNotFound, http.StatusGone:
		return nil, missing("there is no %s: correct the field", address)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, missing("%s isn't given to everybody, and kvbench has no credentials: put the chart into a ConfigMap", address)
	}
	return nil, fmt.Errorf("%s answers %s", address, response.Status)
}
