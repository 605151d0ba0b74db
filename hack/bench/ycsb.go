package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"
)

const (
	ycsbVersion  = "0.17.0"
	mavenCentral = "https://repo1.maven.org/maven2/"
	maxJarBytes  = 16 << 20
	jarTimeout   = 2 * time.Minute
)

// ycsbJars are YCSB's core, which has BasicDB, and what its pom asks for at run time.
var ycsbJars = []struct{ path, sha256 string }{
	{"site/ycsb/core/0.17.0/core-0.17.0.jar", "e1c64d09bfc642715428c2e53ec129b0a98a0e634ee32bf0ae77e5b4eebb3cda"},
	{"org/apache/htrace/htrace-core4/4.1.0-incubating/htrace-core4-4.1.0-incubating.jar", "5d45b7904857c3e4ad36b3bcc57be2d2c5f308c69b5f6a58bd86aa7d48a25ef6"},
	{"org/codehaus/jackson/jackson-mapper-asl/1.9.4/jackson-mapper-asl-1.9.4.jar", "f013389c3eb92aa997df801e4a352464925af634a4af3e5bd77c6c0763dc9c99"},
	{"org/codehaus/jackson/jackson-core-asl/1.9.4/jackson-core-asl-1.9.4.jar", "6129e1b91d7850ba250b1375094c8ca215a0f7cf234b6f60a2f4a88d5b1272c9"},
	{"org/hdrhistogram/HdrHistogram/2.1.4/HdrHistogram-2.1.4.jar", "8e68b9608ab107690350b904eab24087785f69218e5c6acd860d28116eded708"},
}

func installYCSB(ctx context.Context, folder string) error {
	for _, jar := range ycsbJars {
		content, err := fetch(ctx, mavenCentral+jar.path)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != jar.sha256 {
			return fmt.Errorf("%s has the SHA-256 %x instead of %s", jar.path, sum, jar.sha256)
		}
		if err := os.WriteFile(filepath.Join(folder, path.Base(jar.path)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, jarTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxJarBytes))
}
