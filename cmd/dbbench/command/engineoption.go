package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store"
)

// engineOption is a key of --engine-option: how its value is set.
type engineOption struct {
	key string
	set func(o *store.Options, value string) error
}

// engineOptions are the keys, by the names that the record has for them.
var engineOptions = []engineOption{
	{bench.OptWriteBufferSize, sizeOption(func(o *store.Options) *int64 { return &o.WriteBufferSize })},
	{bench.OptMaxFileSize, sizeOption(func(o *store.Options) *int64 { return &o.MaxFileSize })},
	{bench.OptCacheSize, sizeOption(func(o *store.Options) *int64 { return &o.BlockCacheSize })},
	{bench.OptBlockSize, sizeOption(func(o *store.Options) *int64 { return &o.BlockSize })},
	{bench.OptRestartInterval, countOption(1, func(o *store.Options) *int { return &o.BlockRestartInterval })},
	{bench.OptBloomBits, countOption(0, func(o *store.Options) *int { return &o.BloomBits })},
	{bench.OptOpenFiles, countOption(1, func(o *store.Options) *int { return &o.MaxOpenFiles })},
	{bench.OptCompression, func(o *store.Options, value string) error {
		if !slices.Contains(codecs, value) {
			return errors.New("is not one of " + strings.Join(codecs, ", ") + didYouMean(value, codecs))
		}
		o.Compression = store.Compression(value)
		return nil
	}},
	{bench.OptVerifyChecksums, switchOption(func(o *store.Options) *store.Setting { return &o.VerifyChecksums })},
	{bench.OptParanoidChecks, switchOption(func(o *store.Options) *store.Setting { return &o.ParanoidChecks })},
}

// ownOptions are keys that one engine alone has. They say what the engine is
// opened with beside store.Options.
var ownOptions = []struct {
	engine, key string
	on          func(e *bench.Engine)
}{
	{"rocksdb", bench.OptStatistics, withStatistics},
}

func sizeOption(field func(*store.Options) *int64) func(*store.Options, string) error {
	return func(o *store.Options, value string) error {
		n, err := parseSize(value)
		if err == nil && n < 1 {
			err = errors.New("is not a size")
		}
		*field(o) = n
		return err
	}
}

func countOption(least int64, field func(*store.Options) *int) func(*store.Options, string) error {
	return func(o *store.Options, value string) error {
		n, err := parseCount(value)
		if err == nil && n < least {
			err = fmt.Errorf("is less than %d", least)
		}
		*field(o) = int(n)
		return err
	}
}

func switchOption(field func(*store.Options) *store.Setting) func(*store.Options, string) error {
	return func(o *store.Options, value string) error {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("neither true nor false")
		}
		*field(o) = store.Off
		if on {
			*field(o) = store.On
		}
		return nil
	}
}

// withEngineOptions returns the table with options of single engines put over
// what the run asks for. names are the engines that run.
func withEngineOptions(table []bench.Engine, names, options []string) ([]bench.Engine, error) {
	table = slices.Clone(table)
	seen := map[string]bool{}
	// Own options change how the engine is opened, and so go before those that
	// change what it's opened with.
	options = slices.Clone(options)
	slices.SortStableFunc(options, func(a, b string) int { return rank(a) - rank(b) })
	for _, text := range options {
		fail := func(format string, args ...any) error {
			return usageError("--engine-option %s: %w", quoted(text), fmt.Errorf(format, args...))
		}
		name, rest, ok := strings.Cut(text, ":")
		key, value, ok2 := strings.Cut(rest, "=")
		if !ok || !ok2 {
			return nil, fail("is not of the form ENGINE:KEY=VALUE")
		}
		key = strings.ReplaceAll(key, "-", "_")
		at := slices.IndexFunc(table, func(e bench.Engine) bool { return e.Name == name })
		if at < 0 || !slices.Contains(names, name) {
			return nil, fail("engine %s doesn't run%s", quoted(name), didYouMean(name, names))
		}
		if seen[name+":"+key] {
			return nil, fail("is given twice")
		}
		seen[name+":"+key] = true
		if own, err := setOwn(&table[at], key, value); err != nil {
			return nil, fail("%w", err)
		} else if own {
			continue
		}
		option, err := findEngineOption(name, key)
		if err != nil {
			return nil, fail("%w", err)
		}
		if err := overlay(&table[at], option, value); err != nil {
			return nil, fail("%w", err)
		}
	}
	return table, nil
}

// rank is 0 for an own option and 1 for another.
func rank(text string) int {
	for _, own := range ownOptions {
		if strings.HasPrefix(text, own.engine+":"+own.key+"=") {
			return 0
		}
	}
	return 1
}

// setOwn sets an own option of the engine, and tells whether the key is one.
func setOwn(e *bench.Engine, key, value string) (own bool, err error) {
	for _, own := range ownOptions {
		if own.engine != e.Name || own.key != key {
			continue
		}
		on, err := strconv.ParseBool(value)
		if err != nil {
			return true, errors.New("neither true nor false")
		}
		if on {
			own.on(e)
		}
		return true, nil
	}
	return false, nil
}

func findEngineOption(engine, key string) (engineOption, error) {
	var keys []string
	for _, option := range engineOptions {
		if option.key == key {
			return option, nil
		}
		keys = append(keys, option.key)
	}
	for _, own := range ownOptions {
		if own.engine == engine {
			keys = append(keys, own.key)
		}
	}
	return engineOption{}, fmt.Errorf("unknown key %s%s; keys are %s", quoted(key), didYouMean(key, keys), strings.Join(keys, ", "))
}

// overlay makes an engine open its stores with the option. A value that the
// engine can't have, or would make another of, is an error.
func overlay(e *bench.Engine, option engineOption, value string) error {
	var asked store.Options
	if err := option.set(&asked, value); err != nil {
		return err
	}
	inEffect, _, err := e.Effective(asked)
	if err != nil {
		return err
	}
	again := inEffect
	if err := option.set(&again, value); err != nil || again != inEffect {
		return errors.Join(err, fmt.Errorf("%s can't have it and would take another value", e.Name))
	}
	effective, open, readBack := e.Effective, e.Open, e.ReadBack
	e.Effective = func(o store.Options) (store.Options, bench.OptionList, error) {
		if err := option.set(&o, value); err != nil {
			return store.Options{}, nil, err
		}
		return effective(o)
	}
	e.Open = func(path string, o store.Options) (store.DB, error) {
		if err := option.set(&o, value); err != nil {
			return nil, err
		}
		return open(path, o)
	}
	if readBack != nil {
		e.ReadBack = func(o store.Options) (bench.Told, error) {
			if err := option.set(&o, value); err != nil {
				return bench.Told{}, err
			}
			return readBack(o)
		}
	}
	return nil
}
