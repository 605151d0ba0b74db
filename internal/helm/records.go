package helm

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Bounds of the records of one release. Ours is one record of some tens of kilobytes; what
// is beyond was written by somebody else.
const (
	maxRecords     = 10
	maxRecordBytes = 1 << 20 // decompressed, of all records together
)

// records are the Secrets that Helm keeps releases in. They lie in the run's namespace,
// where others may write them, and Helm decompresses whatever they hold: one Secret of a
// megabyte can become a gigabyte, in the controller that all namespaces share.
type records struct {
	typedcorev1.SecretInterface
}

// List leaves out what is beyond the bounds, and what is no release: Helm would have neither a
// record nor none. The name of such a record is still taken, so an install over it fails.
func (r records) List(ctx context.Context, opts metav1.ListOptions) (*corev1.SecretList, error) {
	opts.Limit = maxRecords
	list, err := r.SecretInterface.List(ctx, opts)
	if err != nil {
		return nil, err
	}
	list.Continue = ""
	left := int64(maxRecordBytes)
	kept := list.Items[:0]
	for i := range list.Items {
		plain := plainRecord(&list.Items[i], left)
		if size := int64(len(plain)); size <= left && isRelease(plain) {
			left -= size
			kept = append(kept, list.Items[i])
		}
	}
	list.Items = kept
	return list, nil
}

// Get refuses a record that is beyond the bounds.
func (r records) Get(ctx context.Context, name string, opts metav1.GetOptions) (*corev1.Secret, error) {
	secret, err := r.SecretInterface.Get(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	if len(plainRecord(secret, maxRecordBytes)) > maxRecordBytes {
		return nil, fmt.Errorf("the Secret %s holds more than %d bytes, so it is no release of kvbench's: delete it", name, maxRecordBytes)
	}
	return secret, nil
}

// plainRecord is a record decompressed, as far as the byte after the most. Of what can't be decoded
// nothing is left.
func plainRecord(secret *corev1.Secret, most int64) []byte {
	compressed, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(secret.Data["release"])))
	if err != nil {
		return nil
	}
	var plain io.Reader = bytes.NewReader(compressed) // Helm takes it as it is
	if unpacked, err := gzip.NewReader(bytes.NewReader(compressed)); err == nil {
		plain = unpacked
	}
	content, err := io.ReadAll(io.LimitReader(plain, most+1))
	if err != nil {
		return nil
	}
	return content
}

// isRelease says whether Helm can read it, and the info that it looks into.
func isRelease(plain []byte) bool {
	var record release.Release
	return json.Unmarshal(plain, &record) == nil && record.Info != nil
}
