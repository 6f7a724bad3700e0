// Package verify, a folder of your module: import "example.com/yours/verify"
package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// IsOurs takes the bytes as they came, before anything parses them, and the header X-Webhook-Signature, or X-Webhook-Signature-Previous.
func IsOurs(secret string, rawBody []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(header))
}
