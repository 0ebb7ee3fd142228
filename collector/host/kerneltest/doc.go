// Package kerneltest runs the exporter on real kernels: Debian's 6.1 and 6.12
// boot under qemu with soft-RoCE, which carries real RDMA traffic, and with a
// module of our own that answers what an mlx5 NIC is asked for. The test has
// build tag kernel: make test-kernel.
package kerneltest
