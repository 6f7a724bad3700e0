import { expect, test } from '@jest/globals';
import { BlockBuffer, blockBytes } from '../../src/adapters/media/block-buffer.ts';

/** What was written, block by block; copied, because the block is filled again. */
function gathering(expected: number | null): { gathered: BlockBuffer; blocks: Buffer[] } {
  const blocks: Buffer[] = [];
  const gathered = new BlockBuffer(expected, async (block) => void blocks.push(Buffer.from(block)));
  return { gathered, blocks };
}

test('pieces reach the store in their order, in blocks', async () => {
  const { gathered, blocks } = gathering(null);
  const file = Buffer.from(Array.from({ length: 600_000 }, (_, n) => n % 251));
  for (let at = 0; at < file.length; at += 70_001) await gathered.add(file.subarray(at, at + 70_001));
  await gathered.flush();
  expect(blocks.map(({ length }) => length)).toEqual([blockBytes, blockBytes, 600_000 - 2 * blockBytes]);
  expect(Buffer.concat(blocks).equals(file)).toBe(true);
});

test('a piece larger than a block is written as several', async () => {
  const { gathered, blocks } = gathering(null);
  await gathered.add(Buffer.alloc(2 * blockBytes, 'a'));
  expect(blocks.map(({ length }) => length)).toEqual([blockBytes, blockBytes]);
});

test('a file that is longer than was expected is whole all the same', async () => {
  const { gathered, blocks } = gathering(3);
  await gathered.add(Buffer.from('hello'));
  await gathered.flush();
  expect(Buffer.concat(blocks).toString()).toBe('hello');
});

test('nothing that came is nothing to write', async () => {
  for (const expected of [0, null]) {
    const { gathered, blocks } = gathering(expected);
    await gathered.flush();
    expect(blocks).toEqual([]);
  }
});

test('what fails to be written is told', async () => {
  const gathered = new BlockBuffer(1, async () => Promise.reject(new Error('full')));
  await expect(gathered.add(Buffer.from('a'))).rejects.toThrow('full');
});
