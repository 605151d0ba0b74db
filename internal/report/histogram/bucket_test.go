package histogram

import "testing"

func TestABucketIsAsWideAsTheLibraryMakesIt(t *testing.T) {
	for _, micros := range []int64{1, 2047, 2048, 2049, 4095, 4096, 65_537, 1_000_000, 59_999_999} {
		h := New()
		if err := h.RecordValue(micros); err != nil {
			t.Fatal(err)
		}
		for first := range h.ForEachBucket {
			width := BucketWidth(first)
			if h.CountAtValue(first+width-1) != 1 || h.CountAtValue(first+width) != 0 {
				t.Errorf("%d is in the bucket from %d on, whose width isn't %d", micros, first, width)
			}
		}
	}
}
