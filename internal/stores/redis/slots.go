package redis

import "bytes"

// slotCount is how many slots a cluster's keys are spread over.
const slotCount = 16384

// slotOf is the slot of a record's name: its CRC16 (XMODEM), or that of what is between the first
// braces, if there is anything.
func slotOf(name []byte) int {
	if begin := bytes.IndexByte(name, '{'); begin >= 0 {
		if length := bytes.IndexByte(name[begin+1:], '}'); length > 0 {
			name = name[begin+1 : begin+1+length]
		}
	}
	var crc uint16
	for _, b := range name {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^b]
	}
	return int(crc % slotCount)
}

// crcTable has the CRC16 of each byte.
var crcTable = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			carry := crc & 0x8000
			if crc <<= 1; carry != 0 {
				crc ^= 0x1021
			}
		}
		table[i] = crc
	}
	return table
}()
