package measurements

import (
	"math"
	"strconv"
	"strings"
)

// javaDouble writes a number as Java's Double.toString does: with the fewest digits that tell it from its
// neighbours and at least one digit after the point. It has an exponent below 10^-3 and from 10^7 on.
func javaDouble(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if size := math.Abs(x); x == 0 || size >= 1e-3 && size < 1e7 {
		return withPoint(strconv.FormatFloat(x, 'f', -1, 64))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err) // FormatFloat writes a number there
	}
	return withPoint(mantissa) + "E" + strconv.Itoa(n)
}

func withPoint(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	return digits + ".0"
}

// shortDecimal writes a number as Java's DecimalFormat("#.##") does: with at most two digits after the point,
// and without zeros at the end.
func shortDecimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return "∞"
	}
	text := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
