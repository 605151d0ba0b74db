package helm

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"

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

// List leaves out what is beyond the bounds, as Helm leaves out what it can't decode. The
// name of such a record is still taken, so an install over it fails.
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
		if size := recordSize(&list.Items[i], left); size <= left {
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
	if recordSize(secret, maxRecordBytes) > maxRecordBytes {
		return nil, fmt.Errorf("the Secret %s holds more than %d bytes, so it is no release of kvbench's: delete it", name, maxRecordBytes)
	}
	return secret, nil
}

// recordSize is how many bytes a record has when it is decompressed; above most it isn't
// found out further. What Helm can't decode has none.
func recordSize(secret *corev1.Secret, most int64) int64 {
	encoded := secret.Data["release"]
	compressed, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(encoded)))
	if err != nil {
		return 0
	}
	plain, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return int64(len(compressed)) // Helm takes it as it is
	}
	size, _ := io.Copy(io.Discard, io.LimitReader(plain, most+1))
	return size
}
