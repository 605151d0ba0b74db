package stores

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func sameFields(a, b []Field) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool {
		return x.Name == y.Name && bytes.Equal(x.Value, y.Value)
	})
}

func TestRecordComesBackAsItWasWritten(t *testing.T) {
	for name, fields := range map[string][]Field{
		"no field":      {},
		"empty value":   {{Name: "field0"}},
		"empty name":    {{Value: []byte("x")}},
		"two fields":    {{"field0", []byte("a")}, {"field1", []byte("b")}},
		"binary value":  {{"field0", []byte{0, 255, 1, 128}}},
		"a long value":  {{"field0", bytes.Repeat([]byte("x"), 100_000)}},
		"same name too": {{"f", []byte("1")}, {"f", []byte("2")}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeRecord(nil, EncodeRecord(nil, fields))
			if err != nil || !sameFields(got, fields) {
				t.Fatalf("decoded %v, %v", got, err)
			}
		})
	}
}

func TestDecodeRefusesWhatIsNoRecord(t *testing.T) {
	whole := EncodeRecord(nil, []Field{{"field0", []byte("value")}})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":           {nil, "empty"},
		"another format":    {[]byte("hello"), "format"},
		"only the format":   {[]byte{recordFormat}, "ends early"},
		"cut in the value":  {whole[:len(whole)-1], "ends early"},
		"cut in the name":   {whole[:4], "ends early"},
		"more after it":     {append(slices.Clone(whole), 0), "follow"},
		"many fields":       {[]byte{recordFormat, 0xff, 0xff, 0xff, 0xff, 0x0f}, "ends early"},
		"an endless number": {append([]byte{recordFormat}, bytes.Repeat([]byte{0xff}, 11)...), "64 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := []Field{{Name: "kept"}}
			got, err := DecodeRecord(kept, c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if !sameFields(got, kept) {
				t.Fatalf("dst became %v", got)
			}
		})
	}
}

func TestDecodingRecordsOfOneShapeAllocatesNothing(t *testing.T) {
	data := EncodeRecord(nil, []Field{{"field0", []byte("value")}, {"field1", []byte("other")}})
	encoded := make([]byte, 0, 2*len(data))
	var scratch []Field
	allocations := testing.AllocsPerRun(100, func() {
		var err error
		if scratch, err = DecodeRecord(scratch[:0], data); err != nil {
			t.Fatal(err)
		}
		encoded = EncodeRecord(encoded[:0], scratch)
	})
	if allocations != 0 {
		t.Fatalf("%v allocations for each record", allocations)
	}
	if !bytes.Equal(encoded, data) {
		t.Fatalf("encoded again: %x, want %x", encoded, data)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(EncodeRecord(nil, []Field{{"field0", []byte("value")}, {"", nil}}))
	f.Add([]byte{recordFormat, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		fields, err := DecodeRecord(nil, data)
		if err != nil {
			return
		}
		again, err := DecodeRecord(nil, EncodeRecord(nil, fields))
		if err != nil || !sameFields(fields, again) {
			t.Fatalf("%v became %v, %v", fields, again, err)
		}
	})
}

func TestTheLengthOfARecordIsKnownBefore(t *testing.T) {
	for _, length := range []int{0, 1, 127, 128, 16383, 16384} {
		for count := range 3 {
			var fields []Field
			var names []string
			for i := range count {
				fields = append(fields, Field{Name: strings.Repeat("n", 1+200*i), Value: make([]byte, length)})
				names = append(names, fields[i].Name)
			}
			if got, want := RecordBytes(names, int64(length)), len(EncodeRecord(nil, fields)); got != int64(want) {
				t.Errorf("%d fields of %d bytes: %d, want %d", count, length, got, want)
			}
		}
	}
}
