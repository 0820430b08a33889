//go:build linux && amd64

package main

func (s *settings) disturb(c *campaign, r *results) error { return nil }
