//go:build !linux

package overhead

import "syscall"

// childAttributes puts a child into a process group of its own, so that Ctrl-C
// reaches it through its parent alone.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
