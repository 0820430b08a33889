//go:build linux && (amd64 || arm64)

package cudriver

// IsMachine says whether a driver is that of the machine, which other libraries find too.
func IsMachine(d Driver) bool {
	_, ok := Beneath(d).(*driver)
	return ok
}
