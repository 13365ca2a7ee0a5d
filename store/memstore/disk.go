package memstore

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// Engine is the name that errors and metrics of this package carry.
const Engine = "memstore"

// A Disk holds stores by path, as a file system does, so that a program can
// close and open them again. It may be used by many goroutines at once.
type Disk struct {
	mu     sync.Mutex
	stores map[string]*image
}

// image is what a store holds, open or not.
type image struct {
	mu      sync.RWMutex
	tree    tree
	flushed *node // the state at the latest flush
	held    bool  // open for writing; guarded by the disk's mu
}

// NewDisk returns an empty disk.
func NewDisk() *Disk {
	return &Disk{stores: make(map[string]*image)}
}

// New returns an empty store that is on no disk: closing it ends it.
func New() *DB {
	return newDB(&image{}, nil, "", &store.Options{})
}

func newDB(img *image, d *Disk, path string, o *store.Options) *DB {
	db := &DB{image: img, disk: d, path: path, readOnly: o.ReadOnly, log: slog.New(slog.DiscardHandler)}
	if o.Logger != nil {
		db.log = o.Logger.With("engine", Engine, "path", path)
	}
	db.log.Info("opened", "readonly", o.ReadOnly)
	db.counts.Init()
	return db
}

// Open opens the store at path, or makes one if the options say so; nil
// options are the zero value. Paths are names only: two that differ in "./" or
// a trailing slash are one, and no folder need exist. The errors are
// store.ErrNotExist, ErrExists, ErrLocked for a store that is open already, and
// ErrInvalidArgument for options without a meaning and for a path that is empty
// or holds a NUL. A store that is opened read-only takes no lock, and shows the
// state at the call.
func (d *Disk) Open(path string, o *store.Options) (*DB, error) {
	if o == nil {
		o = &store.Options{}
	}
	fail := func(kind error, msg string) (*DB, error) {
		return nil, &store.Error{Engine: Engine, Op: "open", Path: path, Kind: kind, Msg: msg}
	}
	if err := o.Validate(); err != nil {
		return nil, wrap("open", path, err)
	}
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return fail(store.ErrInvalidArgument, "path is empty or holds a NUL")
	}
	name := filepath.Clean(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	img := d.stores[name]
	switch {
	case img == nil && (!o.CreateIfMissing || o.ReadOnly):
		return fail(store.ErrNotExist, "")
	case img != nil && o.ErrorIfExists:
		return fail(store.ErrExists, "")
	case img != nil && o.ReadOnly:
		return newDB(img.copy(), nil, path, o), nil
	case img != nil && img.held:
		return fail(store.ErrLocked, "")
	case img == nil:
		img = &image{}
		d.stores[name] = img
	}
	img.held = true
	return newDB(img, d, path, o), nil
}

// copy returns the present state as an image of its own.
func (img *image) copy() *image {
	img.mu.Lock()
	defer img.mu.Unlock()
	root := img.tree.freeze()
	t := img.tree
	t.root = root
	return &image{tree: t, flushed: img.flushed}
}

// release lets the lock on img go.
func (d *Disk) release(img *image) {
	d.mu.Lock()
	img.held = false
	d.mu.Unlock()
}
