package store_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

func ExampleFigure_json() {
	var unknown store.Figure
	fmt.Println(store.Known(0), unknown)
	out, err := json.Marshal([]store.Figure{store.Known(0), unknown})
	fmt.Println(string(out), err)
	// Output:
	// 0 n/a
	// [0,null] <nil>
}

// What happened between two moments is the difference of two readings.
func ExampleCache_HitRate() {
	before := store.Cache{Hits: store.Known(900), Misses: store.Known(100)}
	after := store.Cache{Hits: store.Known(990), Misses: store.Known(110)}
	fmt.Println(after.HitRate())
	fmt.Println(after.Since(before).HitRate())
	fmt.Println(store.Cache{}.HitRate())
	// Output:
	// 0.9 true
	// 0.9 true
	// 0 false
}

func ExampleOperations() {
	db := memstore.New()
	defer db.Close()
	check(db.Put([]byte("a"), []byte("12345"), nil))
	for _, key := range []string{"a", "b", "c"} {
		_, err := db.Has([]byte(key))
		check(err)
	}
	m, err := db.Metrics()
	check(err)
	fmt.Printf("%+v\n", m.Operations.Put)
	fmt.Printf("%+v\n", m.Operations.Has)
	// Output:
	// {Calls:1 Items:1 Bytes:6}
	// {Calls:3 Items:1 Bytes:0}
}

// A program that serves /debug/vars shows a store's metrics there. Figures that
// the engine doesn't tell are null.
func ExampleMetrics_expvar() {
	db := memstore.New() // or an engine's Open
	defer db.Close()
	check(db.Put([]byte("k"), []byte("v"), nil))

	expvar.Publish("orders", expvar.Func(func() any {
		m, err := db.Metrics()
		if err != nil {
			return err.Error() // the store is closed
		}
		return m
	}))

	server := httptest.NewServer(expvar.Handler())
	defer server.Close()
	response, err := http.Get(server.URL)
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	var vars struct {
		Orders struct {
			EstimatedKeys, DiskBytes store.Figure
		}
	}
	check(json.Unmarshal(text, &vars))
	fmt.Println("keys:", vars.Orders.EstimatedKeys)
	fmt.Println("on disk:", vars.Orders.DiskBytes)
	// Output:
	// keys: 1
	// on disk: n/a
}

func ExampleOptions_logger() {
	// Without the time, which the output of an example can't have.
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	o := store.Options{CreateIfMissing: true, Logger: slog.New(handler)}
	db, err := memstore.NewDisk().Open("orders", &o)
	check(err)
	_, err = db.NewSnapshot()
	check(err)
	_ = db.Close() // which says the same
	// Output:
	// level=INFO msg=opened engine=memstore path=orders readonly=false
	// level=INFO msg=closed engine=memstore path=orders
	// level=WARN msg="iterators or snapshots were left open" engine=memstore path=orders open="0 iterators, 1 snapshot"
}
