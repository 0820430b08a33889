// The driver on mumax/3's bindings is a module of its own, so that their licence (GPL-3) and cgo stay out of thermsim's build.
module thermsim/gpusolve/cuda/cudriver/mumax3

go 1.26.0

require (
	github.com/mumax/3 v0.0.0-20261020084628-54efa12420b2
	thermsim v0.0.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace thermsim => ../../../..
