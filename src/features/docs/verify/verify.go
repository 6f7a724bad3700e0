// Package verify, a folder of your module: import "example.com/yours/verify"
package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// IsOurs takes the bytes as they came, before anything parses them, and the header X-Webhook-Signature, or X-Webhook-Signature-Previous.
func IsOurs(secret string, rawBody []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(header))
}

// IsOursAndRecent refuses a repeated old delivery too. id, timestamp, signature: webhook-id, webhook-timestamp and webhook-signature.
func IsOursAndRecent(secret string, rawBody []byte, id, timestamp, signature string) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Now().Unix() - at; err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, keyOf(secret))
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(rawBody)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, each := range strings.Split(signature, " ") {
		if hmac.Equal([]byte(expected), []byte(each)) {
			return true
		}
	}
	return false
}

var encoded = regexp.MustCompile(`^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$`)

// Base64 after whsec_ is decoded; any other secret is the key as it is.
func keyOf(secret string) []byte {
	if found := encoded.FindStringSubmatch(secret); found != nil && found[1] != "" {
		key, _ := base64.StdEncoding.DecodeString(found[1])
		return key
	}
	return []byte(secret)
}
