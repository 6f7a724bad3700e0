// go run verify.go SECRET SIGNATURE < body: ends with 0 when the signature is right
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// IsOurs takes the bytes as they came, before anything parses them, and the header X-Webhook-Signature.
func IsOurs(secret string, rawBody []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(header))
}

func main() {
	rawBody, err := io.ReadAll(os.Stdin)
	if err != nil || !IsOurs(os.Args[1], rawBody, os.Args[2]) {
		os.Exit(1)
	}
}
