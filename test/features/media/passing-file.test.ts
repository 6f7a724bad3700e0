/** [spec: Additions] What is told by the beginning of a file, however it arrives. */
import { expect, test } from '@jest/globals';
import { PassingFile } from '../../../src/features/media/passing-file.ts';

async function* inPieces(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function pass(...pieces: string[]) {
  const told: string[] = [];
  const onBeginning = (first: Uint8Array): void => void told.push(Buffer.from(first).toString());
  const file = new PassingFile(inPieces(...pieces), {
    onBeginning,
    onEnd: async () => void told.push('end'),
    hashes: false,
  });
  const passed: Uint8Array[] = [];
  for await (const piece of file.content) passed.push(piece);
  return { told, passed: Buffer.concat(passed).toString(), bytes: file.bytes };
}

test.each([
  ['one piece', ['%PDF-1.4 of a menu'], '%PDF-1.4 of a menu'],
  ['pieces of a few bytes', ['%', 'PDF', '-1.4 of a me', 'nu'], '%PDF-1.4 of a me'],
  ['fewer bytes than tell every type', ['%P', 'DF'], '%PDF'],
])('%s: the beginning is told once, and all of it passes', async (_name, pieces, beginning) => {
  const whole = pieces.join('');
  expect(await pass(...pieces)).toEqual({ told: [beginning, 'end'], passed: whole, bytes: whole.length });
});

test('of an empty file only the end is told', async () => {
  expect(await pass()).toEqual({ told: ['end'], passed: '', bytes: 0 });
});
