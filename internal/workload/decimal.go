package workload

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// appendDecimal appends what strconv.AppendInt does, in half the time for the 17 to 19
// digits that nearly all hashed keys have.
func appendDecimal(dst []byte, n int64) []byte {
	if n < 1e16 {
		return strconv.AppendInt(dst, n, 10)
	}
	var digits [24]byte
	top := eightDigits(uint64(n) / 1e16)
	rest := uint64(n) % 1e16
	binary.LittleEndian.PutUint64(digits[:8], top|zeros)
	binary.LittleEndian.PutUint64(digits[8:16], eightDigits(rest/1e8)|zeros)
	binary.LittleEndian.PutUint64(digits[16:], eightDigits(rest%1e8)|zeros)
	return append(dst, digits[bits.TrailingZeros64(top)/8:]...)
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
