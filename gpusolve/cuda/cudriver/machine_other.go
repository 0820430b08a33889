//go:build !(linux && (amd64 || arm64))

package cudriver

// IsMachine is false: there is no driver here.
func IsMachine(Driver) bool { return false }
