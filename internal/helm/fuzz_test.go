package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The size of a record is Helm's, as far as it is looked at.
func FuzzRecordSize(f *testing.F) {
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, _ = writer.Write(bytes.Repeat([]byte("{}"), 5000))
	_ = writer.Close()
	f.Add([]byte(base64.StdEncoding.EncodeToString(compressed.Bytes())))
	f.Add([]byte(base64.StdEncoding.EncodeToString(compressed.Bytes()[:20])))
	f.Add([]byte(base64.StdEncoding.EncodeToString([]byte("{}"))))
	f.Add([]byte("%%%"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		const most = 4096
		size := int64(len(plainRecord(&corev1.Secret{Data: map[string][]byte{"release": encoded}}, most)))
		if size > most+1 {
			t.Fatalf("%d bytes", size)
		}
		decoded, err := base64.StdEncoding.DecodeString(string(encoded))
		if err != nil {
			return
		}
		plain := decoded
		if unzip, err := gzip.NewReader(bytes.NewReader(decoded)); err == nil {
			if plain, err = io.ReadAll(io.LimitReader(unzip, most+1)); err != nil {
				return
			}
		}
		if int64(len(plain)) > most && size <= most {
			t.Errorf("a record of more than %d bytes passes for %d", most, size)
		}
	})
}
