//go:build !unix

package staging

func umask(int) int { return 0 }
