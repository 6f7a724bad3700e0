import { expect, test } from '@jest/globals';
import { parserCopies } from '../../src/adapters/media/read-blocks.ts';

test("on this Node a body's pieces are no views of the blocks they were read into", async () => {
  expect(await parserCopies()).toBe(true);
});
