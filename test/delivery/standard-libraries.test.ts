/** [spec: Authentication 8; operator-interface §4, key of `webhook-signature`] The libraries of Standard Webhooks verify what is signed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { partsKey, signaturesOf } from '../../src/rules/webhooks/signature.ts';
import { newWebhookSecret } from '../../src/features/channels/webhook-settings.ts';
import { areServicesRequired } from '../support/required.ts';

const madeByCi = join(tmpdir(), 'trunkline-witnesses/bin/python');
const python = process.env['WITNESS_PYTHON'] ?? (existsSync(madeByCi) ? madeByCi : 'python3');
const hasLibrary = spawnSync(python, ['-c', 'import standardwebhooks'], { timeout: 60_000 }).status === 0;

/** `isRaw`: the library must be told that the secret is the key itself. */
const secrets: readonly (readonly [words: string, secret: string, isRaw: boolean])[] = [
  ['of ours', newWebhookSecret(), false],
  ['of 24 bytes, as the libraries make them', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
  ['with the signs of base64, and padding', 'whsec_+/+/+/8=', false],
  ['of two padding signs', 'whsec_AQIDBA==', false],
  ['of an earlier version, without padding', `whsec_${'A1b-'.repeat(10)}_9Q`, true],
  ['whose padding is missing', 'whsec_AQIDBA', true],
  ['of the URL alphabet', 'whsec_-_-_', true],
  ['with a line break', 'whsec_abcd\n', true],
  ['that is only the prefix', 'whsec_', true],
  ['of a client, that happens to be base64', 'correcthorsebatt', true],
  ['of a client, in its own letters', 'grüße und 👋', true],
];

const event = { event: 'message.received', data: { text: 'Grüße 👋' } };
const body = Buffer.from(JSON.stringify(event));

function headersFor(secret: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const { ofParts } = signaturesOf(secret, { deliveryId: 'delivery-1', timestamp, body });
  const id = { 'webhook-id': 'delivery-1', 'webhook-timestamp': String(timestamp) };
  return { ...id, 'webhook-signature': ofParts };
}

describe('a secret', () => {
  test.each(secrets)('%s is verified by the one for Node', (_words, secret, isRaw) => {
    const library = isRaw ? new Webhook(Buffer.from(secret), { format: 'raw' }) : new Webhook(secret);
    expect(library.verify(body, headersFor(secret))).toEqual(event);
    expect(Buffer.from(partsKey(secret)).equals(Buffer.from(secret))).toBe(isRaw);
  });

  (hasLibrary || areServicesRequired ? test : test.skip)(
    `is verified by the one for Python${hasLibrary ? '' : ` (not installed for ${python})`}`,
    () => {
      const program = `import json, sys
from standardwebhooks.webhooks import Webhook
for secret, is_raw, headers, body in json.load(sys.stdin):
    print(json.dumps(Webhook(secret.encode() if is_raw else secret).verify(body, headers)))`;
      const asked = secrets.map(([, secret, isRaw]) => [secret, isRaw, headersFor(secret), body.toString()]);
      const { stdout, stderr } = spawnSync(python, ['-c', program], { input: JSON.stringify(asked) });
      expect(stderr.toString()).toBe('');
      const said = stdout.toString().trim().split('\n');
      expect(said.map((line) => JSON.parse(line))).toEqual(secrets.map(() => event));
    },
    60_000,
  );
});
