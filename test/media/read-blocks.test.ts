import { expect, test } from '@jest/globals';
import { parserCopies } from '../../src/media/blocks.ts';

test('on this Node the chunks of a body are not views of the blocks into which they were read', async () => {
  expect(await parserCopies()).toBe(true);
});
