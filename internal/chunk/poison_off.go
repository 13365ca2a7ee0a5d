//go:build !lsmkitdebug

package chunk

const poison = false
