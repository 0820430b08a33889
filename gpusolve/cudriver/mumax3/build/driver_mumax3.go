//go:build mumax3

package main

import (
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/cudriver/mumax3"
)

func init() { cudriver.Over = mumax3.Over }
