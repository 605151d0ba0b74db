package histogram

// BucketWidth is how many values share the bucket that begins at this value. The histograms have three
// significant digits: the width is 1 below 2,048, and doubles at 2,048 and at each power of two above.
func BucketWidth(value int64) int64 {
	width := int64(1)
	for ; value >= 2048; value >>= 1 {
		width *= 2
	}
	return width
}
