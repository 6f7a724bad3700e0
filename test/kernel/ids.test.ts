/** [architecture §6.2] Ids that are derived from other ids: every later version must compute the same ones. */
import { describe, expect, test } from '@jest/globals';
import { hashSecret, idFrom, isId, isMessageId, newId } from '../../src/kernel/ids.ts';

describe('ids', () => {
  test('an id is a UUID in lower case; that of a part of a message ends with its number', () => {
    const id = newId();
    expect([id, id.toUpperCase(), `${id}\n`, `${id}.2`].filter(isId)).toEqual([id]);
    const ids = ['', '.2', '.999', '.1000', '.2.3', '.', '.x'].map((end) => `${id}${end}`);
    expect(ids.filter(isMessageId)).toEqual(ids.slice(0, 3));
  });

  test('the same parts always make the same UUID, of version 8', () => {
    expect(idFrom('delivery', 'channel-1', 'message-1', 'message.sent')).toBe(
      '7fa6f911-bad8-8c78-a386-1f6f84a9bc8f',
    );
  });

  test('parts are distinguished, however a text is split into them', () => {
    expect(idFrom('a', 'b')).not.toBe(idFrom('a","b'));
    expect(idFrom('ab')).not.toBe(idFrom('a', 'b'));
  });

  test('random ids are UUIDs of version 7, a hash is SHA-256 in hex', () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
