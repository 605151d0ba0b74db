package workload

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
)

// appendDecimal appends what strconv.AppendInt does, in half the time for the 17 to 19
// digits that nearly all hashed keys have.
func appendDecimal(dst []byte, n int64) []byte {
	if n < 1e16 {
		return strconv.AppendInt(dst, n, 10)
	}
	top, rest := eightDigits(uint64(n)/1e16), uint64(n)%1e16
	leading := bits.TrailingZeros64(top) / 8
	from := len(dst)
	dst = slices.Grow(dst, 24-leading)[:from+24-leading]
	digits := dst[from:]
	binary.LittleEndian.PutUint64(digits, (top|zeros)>>(8*leading))
	binary.LittleEndian.PutUint64(digits[8-leading:], eightDigits(rest/1e8)|zeros)
	binary.LittleEndian.PutUint64(digits[16-leading:], eightDigits(rest%1e8)|zeros)
	return dst
}

const zeros = 0x3030303030303030 // "00000000"

// eightDigits are the decimal digits of n, below 10^8, a byte for each, the highest first
// in memory. It halves three times, each time all parts at once in lanes of their own: a
// quotient by a power of ten is a product and a shift that is exact in the lane's range.
func eightDigits(n uint64) uint64 {
	fours := n/1e4 | n%1e4<<32
	hundreds := fours * 10486 >> 20 & 0x0000007f_0000007f
	twos := hundreds | (fours-100*hundreds)<<16
	tens := twos * 103 >> 10 & 0x000f_000f_000f_000f
	return tens | (twos-10*tens)<<8
}
