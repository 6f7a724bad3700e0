import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate for 127.0.0.1, valid until 2120, so that tests need no tool to make one. Its key protects nothing. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBbjCCARSgAwIBAgIBATAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJSZWRpcyBv
ZiB0aGUgdGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB0x
GzAZBgNVBAMMElJlZGlzIG9mIHRoZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABBZ+CUIEu7GBE+fNI0nuKjsP4sRd02FHDa85YQLA1srLMvErXIr0kZaq
s8aBmaEoRq4yabzwdicf8KqtR3hC0lijQzBBMA8GA1UdEwEB/wQFMAMBAf8wDwYD
VR0RBAgwBocEfwAAATAdBgNVHQ4EFgQU3zMGFcjKpKnnIFAFM+yWqKz9HvowCgYI
KoZIzj0EAwIDSAAwRQIgPAgy9H66fIXnK50PGy0sq2Wrs4f5bCAOQX+hzdyemfoC
IQD5N8XBbL0HVC+aCTxiFjfN2YwXNGcn/H/4hqK09owIng==
-----END CERTIFICATE-----
`;

const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguarNsop3wheWn6fr
LSSCk613r4t8AX4YyNoXUO+g0WihRANCAAQWfglCBLuxgRPnzSNJ7io7D+LEXdNh
Rw2vOWECwNbKyzLxK1yK9JGWqrPGgZmhKEauMmm88HYnH/CqrUd4QtJY
-----END PRIVATE KEY-----
`;

export interface TlsFiles {
  /** The test removes it. */
  folder: string;
  caFile: string;
  /** Directives of a Redis or a Sentinel that has this certificate; the port is its own. */
  directives: Record<string, string>;
}

export function writeTlsFiles(): TlsFiles {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-redis-tls-'));
  const [caFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'key.pem')];
  writeFileSync(caFile, certificate);
  writeFileSync(keyFile, certificateKey);
  const directives = {
    'tls-cert-file': caFile,
    'tls-key-file': keyFile,
    'tls-ca-cert-file': caFile,
    'tls-auth-clients': 'no',
  };
  return { folder, caFile, directives };
}
