package chartsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/kvbench/kvbench/internal/helm"
)

// Media types of a packed chart, the second from before Helm 3.7.
var chartMediaTypes = []string{"application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip"}

func (f *Fetcher) fromRegistry(ctx context.Context, address, version string) ([]byte, error) {
	repository, err := remote.NewRepository(strings.TrimPrefix(address, "oci://"))
	if err != nil {
		return nil, missing("%s is no address of a chart in a registry: %v", address, err)
	}
	host := repository.Reference.Host()
	secure := &url.URL{Scheme: "https", Host: host, Path: "/v2/" + repository.Reference.Repository}
	unsecured := *secure
	unsecured.Scheme = "http"
	repository.PlainHTTP = !f.allowed.allow(secure) && f.allowed.allow(&unsecured)
	if !repository.PlainHTTP && !f.allowed.allow(secure) {
		return nil, &NotAllowed{address}
	}
	repository.Client = &auth.Client{Client: f.client}
	packed, err := pull(ctx, repository, version)
	return packed, explain(err, address, version)
}

func pull(ctx context.Context, repository *remote.Repository, version string) ([]byte, error) {
	// A tag has no plus sign, and Helm writes an underscore for it.
	described, body, err := repository.Manifests().FetchReference(ctx, strings.ReplaceAll(version, "+", "_"))
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if described.Size > maxManifestBytes {
		return nil, missing("its manifest has more than %d bytes", maxManifestBytes)
	}
	text, err := content.ReadAll(body, described)
	if err != nil {
		return nil, err
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, missing("its manifest can't be read: %v", err)
	}
	at := slices.IndexFunc(manifest.Layers, func(l ocispec.Descriptor) bool { return slices.Contains(chartMediaTypes, l.MediaType) })
	if at < 0 {
		return nil, missing("it holds no Helm chart")
	}
	layer := manifest.Layers[at]
	if layer.Size > helm.MaxArchiveBytes {
		return nil, missing("the chart has %d bytes, and can have %d packed", layer.Size, helm.MaxArchiveBytes)
	}
	return content.FetchAll(ctx, repository.Blobs(), layer)
}

// explain says of which errors another attempt would be in vain.
func explain(err error, address, version string) error {
	var answer *errcode.ErrorResponse
	var known *Missing
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return missing("%s:%s: %s", address, version, known.Trouble)
	case errors.Is(err, errdef.ErrNotFound):
		return missing("the registry has no %s:%s: correct url or version", address, version)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrInvalidDescriptorSize), errors.Is(err, content.ErrTrailingData), errors.Is(err, errdef.ErrInvalidDigest):
		return missing("%s:%s isn't what its manifest says: %v", address, version, err)
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return missing("the registry doesn't give %s:%s to everybody, and kvbench has no credentials: put the chart into a ConfigMap", address, version)
	}
	return fmt.Errorf("%s:%s: %w", address, version, err)
}

// readAtMost reads an answer of bounded length.
func readAtMost(body io.Reader, most int, what string) ([]byte, error) {
	read, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	if err == nil && len(read) > most {
		err = missing("%s has more than %d bytes", what, most)
	}
	return read, err
}
