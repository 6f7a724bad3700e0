/** [faults: 323] Characters that a terminal or browser would obey. */
import { expect, test } from '@jest/globals';
import { makeLog } from '../../src/kernel/log.ts';
import { visibleControls } from '../../src/kernel/visible-controls.ts';

test.each([
  ['\u001b[2J', '[U+001B][2J'],
  ['\u009b31m', '[U+009B]31m'],
  ['photo\u202egpj.exe', 'photo[U+202E]gpj.exe'],
  ['\u2067right\u2069', '[U+2067]right[U+2069]'],
  ['\u0000\u0007\u007f', '[U+0000][U+0007][U+007F]'],
  ['a\tb\r\nc', 'a\tb\r\nc'],
  ['مرحبا שלום 👩‍🚀', 'مرحبا שלום 👩‍🚀'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleControls(text)).toBe(shown);
});

test('a log line has none of them, in a field or in an error', () => {
  const lines: string[] = [];
  const log = makeLog('info', { write: (line) => void lines.push(line) });
  log.info({ name: 'a\u202eb\u009bc', error: new Error('no \u2066page') }, 'told');
  const [line = ''] = lines;
  expect(line).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(JSON.parse(line)).toMatchObject({
    name: 'a[U+202E]b[U+009B]c',
    error: { message: 'no [U+2066]page' },
  });
});
