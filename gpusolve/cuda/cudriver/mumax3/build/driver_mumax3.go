//go:build mumax3

package main

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/cudriver/mumax3"
)

func init() { cudriver.Over = mumax3.Over }
