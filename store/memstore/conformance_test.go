package memstore_test

import (
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
	"github.com/lsmkit/lsmkit/store/storetest"
)

func TestConformance(t *testing.T) {
	disk := memstore.NewDisk()
	storetest.Run(t, storetest.Config{
		Name: memstore.Engine,
		Open: func(_ testing.TB, path string, o store.Options) (store.DB, error) {
			db, err := disk.Open(path, &o)
			if err != nil {
				return nil, err
			}
			return db, nil
		},
		InMemory: true,
		ReadOnly: true,
		Variants: append([]storetest.Variant{{Name: "default"}}, storetest.Namespaced(storetest.Variant{})...),
	})
}
