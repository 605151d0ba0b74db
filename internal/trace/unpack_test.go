package trace

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func packed(t *testing.T, text io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := io.Copy(writer, text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestATraceMayBeCompressed(t *testing.T) {
	const text = "0,READ,a,\n1,UPDATE,b,7\n"
	for name, content := range map[string][]byte{"as it is": []byte(text), "compressed": packed(t, strings.NewReader(text))} {
		reader, err := Unpack(content)
		if err != nil {
			t.Fatal(err)
		}
		summary, err := Summarize("x", reader, whole)
		if err != nil || summary.Rows != 2 || summary.Largest != 7 {
			t.Errorf("%s: %+v, %v", name, summary, err)
		}
	}
}

// zeros are as many zeros as are asked for: a kilobyte of gzip may be a megabyte.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestABrokenCompressionIsRefused(t *testing.T) {
	whole := packed(t, strings.NewReader(strings.Repeat("0,READ,a,\n", 1000)))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1 // its digest
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"the head alone":      {whole[:5], "unpacking it: unexpected EOF"},
		"cut short":           {whole[:len(whole)-20], "unpacking it: unexpected EOF"},
		"damaged":             {damaged, "unpacking it: gzip: invalid checksum"},
		"of too many bytes":   {packed(t, io.LimitReader(zeros{}, MaxUnpacked+1)), "unpacked it has more than 33554432 bytes"},
		"another compression": {[]byte("\x28\xb5\x2f\xfd0,READ,a,"), ""},
	} {
		reader, err := Unpack(c.content)
		if err == nil && c.says != "" {
			_, err = io.Copy(io.Discard, reader)
		} else if err == nil {
			_, err = Summarize("x", reader, Share{Workers: 1, Stretch: 1})
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	reader, err := Unpack(packed(t, io.LimitReader(zeros{}, MaxUnpacked)))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, reader); n != MaxUnpacked || err != nil {
		t.Errorf("as many as there may be: %d, %v", n, err)
	}
}

// Whatever is unpacked has an end, and what isn't compressed comes as it is.
func FuzzUnpack(f *testing.F) {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write([]byte("0,READ,a,\n")); err != nil {
		f.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("0,READ,a,\n"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, content []byte) {
		reader, err := Unpack(content)
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, reader)
		packed := bytes.HasPrefix(content, []byte{0x1f, 0x8b})
		if n > MaxUnpacked || !packed && (err != nil || n != int64(len(content))) {
			t.Errorf("%d bytes of %d (%v)", n, len(content), err)
		}
	})
}
