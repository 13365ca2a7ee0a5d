//go:build (linux || darwin) && (amd64 || arm64)

package store

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

// A batch near MaxBatchSize, made from the inside over memory that takes no
// room, since filling one would take 2 GiB.

func reserved(t *testing.T, prot int) []byte {
	t.Helper()
	mem, err := syscall.Mmap(-1, 0, 1<<32, prot, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Errorf("munmap: %v", err)
		}
	})
	return mem
}

func TestBatchMaximum(t *testing.T) {
	mem := reserved(t, syscall.PROT_READ|syscall.PROT_WRITE)
	const room = 40
	b := &Batch{rep: mem[:MaxBatchSize-room]}
	key := []byte("0123456789")
	for _, err := range []error{
		b.Put(key, make([]byte, room-len(key)-2)), // and a tag and two lengths
		b.Delete(make([]byte, room)),
		b.DeleteRange(make([]byte, room), nil),
	} {
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v, want too large", err)
		}
	}
	if b.Size() != MaxBatchSize-room || b.Len() != 0 {
		t.Fatalf("refused changes left a size of %d and %d changes", b.Size(), b.Len())
	}
	other := NewBatch(0)
	if err := other.Put(key, make([]byte, room)); err != nil {
		t.Fatal(err)
	}
	if err := b.Append(other); !errors.Is(err, ErrTooLarge) {
		t.Errorf("append: got %v, want too large", err)
	}
	if err := b.Put(key, bytes.Repeat([]byte("v"), room-len(key)-3)); err != nil {
		t.Errorf("a change that just fits: %v", err)
	}
	if b.Size() != MaxBatchSize || b.Len() != 1 {
		t.Errorf("size %d, %d changes, want the maximum and 1", b.Size(), b.Len())
	}
	if err := b.Delete(nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("delete: got %v, want too large", err)
	}
}

// What is too large is refused without being touched: the memory faults.
func TestTooLargeUntouched(t *testing.T) {
	mem := reserved(t, syscall.PROT_NONE)
	b := NewBatch(0)
	for what, err := range map[string]error{
		"load":      b.Load(mem[:MaxBatchSize+1]),
		"put key":   b.Put(mem[:MaxKeySize+1], nil),
		"put value": b.Put(nil, mem[:MaxValueSize+1]),
		"delete":    b.Delete(mem),
		"start":     b.DeleteRange(mem, nil),
		"end":       b.DeleteRange(nil, mem),
		"both":      b.DeleteRange(mem, mem),
		"key":       CheckKey(mem),
		"entry":     CheckEntry(mem[:MaxKeySize], mem),
		"range":     CheckRange(mem[:MaxKeySize], mem[:MaxKeySize+2]),
	} {
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v, want too large", what, err)
		}
	}
	if b.Len() != 0 {
		t.Errorf("%d changes", b.Len())
	}
}
