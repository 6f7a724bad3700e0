import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { assert, property, string, uint8Array } from 'fast-check';
import { SealError, makeSealer, Nonces } from '../../src/kernel/sealing.ts';
import { newSealer, newSealingKey } from '../support/sealing.ts';

const place = 'channel:a:token';

describe('encryption at rest', () => {
  test('what is encrypted decrypts to the same bytes and text', () => {
    const sealer = newSealer();
    assert(
      property(uint8Array({ maxLength: 3_000 }), string({ unit: 'binary' }), (bytes, context) => {
        expect(Buffer.from(sealer.open(sealer.seal(bytes, context), context))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 50 },
    );
    expect(sealer.openText(sealer.sealText('Grüße 👋', place), place)).toBe('Grüße 👋');
  });

  test('the same text has a different ciphertext each time, which does not contain it', () => {
    const sealer = newSealer();
    const sealed = [sealer.sealText('EAAB-token', place), sealer.sealText('EAAB-token', place)];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed[0] ?? '', 'base64').toString('latin1')).not.toContain('EAAB-token');
  });

  test('a value that is moved to another place does not decrypt', () => {
    const sealer = newSealer();
    const sealed = sealer.sealText('token', place);
    expect(() => sealer.openText(sealed, 'channel:b:token')).toThrow(SealError);
  });

  test('the newest key encrypts and any configured key decrypts', () => {
    const [old, recent] = [newSealingKey(), newSealingKey()];
    const before = makeSealer([old]).sealText('token', place);
    const rotated = makeSealer([recent, old]);
    expect(rotated.openText(before, place)).toBe('token');
    const after = rotated.sealText('token', place);
    expect(makeSealer([recent]).openText(after, place)).toBe('token');
    expect(() => makeSealer([old]).openText(after, place)).toThrow('which is not among ENCRYPTION_KEYS');
  });

  test('any altered byte is detected', () => {
    const sealer = newSealer();
    const sealed = sealer.seal(Buffer.from('payload'), place);
    for (let i = 0; i < sealed.length; i += 1) {
      const altered = Uint8Array.from(sealed);
      altered[i] = (altered[i] ?? 0) ^ 1;
      expect(() => sealer.open(altered, place)).toThrow(SealError);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.open(sealed.subarray(0, length), place)).toThrow(SealError);
    }
  });

  test('encrypted bytes have their own memory, so that their transfer to the writing thread moves no neighbours', () => {
    const sealed = newSealer().seal(Buffer.from('short'), place);
    expect(sealed.buffer.byteLength).toBe(sealed.byteLength);
  });

  test.each([
    ['none', [], 'no sealing key'],
    ['too short', [Buffer.alloc(31).toString('base64')], 'sealing key 1 is not base64 of 32 bytes'],
    ['no base64', [newSealingKey(), 'x'.repeat(44)], 'sealing key 2 is not base64 of 32 bytes'],
  ])('unusable keys are refused without being shown: %s', (_, keys, message) => {
    expect(() => makeSealer(keys)).toThrow(message);
  });

  test('one key that is listed twice is refused', () => {
    const key = newSealingKey();
    expect(() => makeSealer([key, key])).toThrow('configured twice');
  });
});

describe('nonces [faults: 136]', () => {
  test('are counters: none repeats, and after 2^32 the prefix changes', () => {
    const nonces = new Nonces(2 ** 32 - 2);
    const drawn = Array.from({ length: 4 }, () => nonces.next().toString('hex'));
    const [before, after] = [drawn[0]?.slice(0, 16), drawn[2]?.slice(0, 16)];
    expect(before).not.toBe(after);
    expect(drawn).toEqual([`${before}fffffffe`, `${before}ffffffff`, `${after}00000000`, `${after}00000001`]);
  });

  test('of one process are consecutive over all sealers; each process has another prefix', () => {
    const sealers = [newSealer(), newSealer()];
    const nonceOf = (sealed: Uint8Array) => Buffer.from(sealed).subarray(4, 16);
    const drawn = Array.from({ length: 1_000 }, (_, n) => sealers[n % 2]?.seal(Buffer.from('x'), place));
    const nonces = drawn.map((sealed) => nonceOf(sealed ?? new Uint8Array()));
    const first = nonces[0]?.readUInt32BE(8) ?? 0;
    expect(new Set(nonces.map((nonce) => nonce.toString('hex', 0, 8))).size).toBe(1);
    expect(nonces.map((nonce) => nonce.readUInt32BE(8) - first)).toEqual(nonces.map((_, n) => n));
    expect(new Nonces().next().equals(new Nonces().next())).toBe(false);
  });
});

describe('fingerprints [faults: 137]', () => {
  test('are equal for the same text in the same place, and are no plain hash', () => {
    const sealer = newSealer();
    const made = sealer.fingerprint('text', place);
    expect(sealer.fingerprint('text', place)).toBe(made);
    expect(sealer.isFingerprintOf(made, 'text', place)).toBe(true);
    expect(sealer.isFingerprintOf(made, 'texts', place)).toBe(false);
    expect(sealer.isFingerprintOf(made, 'text', 'channel:b:token')).toBe(false);
    expect(made).not.toContain(createHash('sha256').update('text').digest('hex'));
    for (const none of ['', 'x', made.slice(1), `${made}0`]) {
      expect(sealer.isFingerprintOf(none, 'text', place)).toBe(false);
    }
  });

  test('of an older key of the ring still match; without the key none does', () => {
    const [old, recent] = [newSealingKey(), newSealingKey()];
    const made = makeSealer([old]).fingerprint('text', place);
    expect(makeSealer([recent, old]).isFingerprintOf(made, 'text', place)).toBe(true);
    expect(makeSealer([recent]).isFingerprintOf(made, 'text', place)).toBe(false);
    expect(makeSealer([recent, old]).fingerprint('text', place)).not.toBe(made);
  });
});
