package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func render(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestOutputFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, []byte("an older record"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	o, err := createOutput("json", link)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "an older record" {
		t.Errorf("creating changed the file to %q", got)
	}
	if err := o.rewrite(render("new")); err != nil {
		t.Fatal(err)
	}
	broken := func(w io.Writer) error {
		io.WriteString(w, "half of")
		return fmt.Errorf("stopped")
	}
	if err := o.rewrite(broken); err == nil || !strings.Contains(err.Error(), "--json") {
		t.Errorf("a failed rewrite returned %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("the file holds %q after a failed rewrite", got)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is now %v", info.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

// A device must never be replaced by a file.
func TestOutputToDevice(t *testing.T) {
	o, err := createOutput("json", os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.rewrite(render("x")); err != nil {
		t.Error(err)
	}
	if err := o.finish(render("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is now %v, %v", os.DevNull, info.Mode(), err)
	}
}

func TestOutputPathsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "r.json"), filepath.Join(dir, "a\x00b")} {
		_, err := createOutput("csv", path)
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--csv") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
