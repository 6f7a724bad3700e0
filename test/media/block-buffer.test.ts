import { expect, test } from '@jest/globals';
import { BlockBuffer, blockBytes } from '../../src/media/blocks.ts';

/** The written blocks; copied, because a block is reused. */
function gathering(expected: number | null): { gathered: BlockBuffer; blocks: Buffer[] } {
  const blocks: Buffer[] = [];
  const gathered = new BlockBuffer(expected, async (block) => void blocks.push(Buffer.from(block)));
  return { gathered, blocks };
}

test('chunks reach the store in their order, in blocks', async () => {
  const { gathered, blocks } = gathering(null);
  const file = Buffer.from(Array.from({ length: 600_000 }, (_, n) => n % 251));
  for (let at = 0; at < file.length; at += 70_001) await gathered.add(file.subarray(at, at + 70_001));
  await gathered.flush();
  expect(blocks.map(({ length }) => length)).toEqual([blockBytes, blockBytes, 600_000 - 2 * blockBytes]);
  expect(Buffer.concat(blocks).equals(file)).toBe(true);
});

test('a chunk larger than a block is written as several', async () => {
  const { gathered, blocks } = gathering(null);
  await gathered.add(Buffer.alloc(2 * blockBytes, 'a'));
  expect(blocks.map(({ length }) => length)).toEqual([blockBytes, blockBytes]);
});

test('a file that is longer than expected is stored completely', async () => {
  const { gathered, blocks } = gathering(3);
  await gathered.add(Buffer.from('hello'));
  await gathered.flush();
  expect(Buffer.concat(blocks).toString()).toBe('hello');
});

test('without chunks nothing is written', async () => {
  for (const expected of [0, null]) {
    const { gathered, blocks } = gathering(expected);
    await gathered.flush();
    expect(blocks).toEqual([]);
  }
});

test('a failed write is reported', async () => {
  const gathered = new BlockBuffer(1, async () => Promise.reject(new Error('full')));
  await expect(gathered.add(Buffer.from('a'))).rejects.toThrow('full');
});
