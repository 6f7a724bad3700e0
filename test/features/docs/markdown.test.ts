/** [operator-interface §3] The subset of Markdown that the pages of `docs/` use. */
import { expect, test } from '@jest/globals';
import { plainText, readMarkdown } from '../../../src/features/docs/markdown.ts';

const text = (said: string) => ({ kind: 'text', text: said });
const code = (said: string) => ({ kind: 'code', text: said });
const paragraph = (...said: unknown[]) => ({ kind: 'paragraph', text: said });

test('a list keeps the further lines of its items; numbers make it a numbered one', () => {
  expect(readMarkdown('- one\n  more\n- two')).toEqual([
    { kind: 'list', start: null, items: [[paragraph(text('one more'))], [paragraph(text('two'))]] },
  ]);
  expect(readMarkdown('Said:\n1. one\n   `a`\n2. two')).toEqual([
    { kind: 'paragraph', text: [text('Said:')] },
    {
      kind: 'list',
      start: 1,
      items: [[paragraph(text('one '), code('a'))], [paragraph(text('two'))]],
    },
  ]);
});

test('a table, an example and a list stand in their item, and the numbers go on behind them', () => {
  const [list, ...rest] = readMarkdown(
    '8. Scopes:\n\n   | a |\n   |---|\n   | b |\n\n   after\n9. two\n   ```sh\n   x\n     y\n   ```\n   - inner\n\nnext',
  );
  const table = { kind: 'table', heads: [[text('a')]], rows: [[[text('b')]]] };
  expect(list).toEqual({
    kind: 'list',
    start: 8,
    items: [
      [paragraph(text('Scopes:')), table, paragraph(text('after'))],
      [
        paragraph(text('two')),
        { kind: 'code', language: 'sh', text: 'x\n  y' },
        { kind: 'list', start: null, items: [[paragraph(text('inner'))]] },
      ],
    ],
  });
  expect(rest).toEqual([paragraph(text('next'))]);
});

test('a line within code, or behind a backslash, is no border of a table', () => {
  const [table] = readMarkdown('| a | b |\n|---|---|\n| `x|y` | p \\| q |\n| | z |');
  expect(table).toEqual({
    kind: 'table',
    heads: [[text('a')], [text('b')]],
    rows: [
      [[code('x|y')], [text('p | q')]],
      [[], [text('z')]],
    ],
  });
});

test('code stands in bold, in a link and in a heading', () => {
  expect(readMarkdown('**`a`: b** [the `c`](d.md)')).toEqual([
    {
      kind: 'paragraph',
      text: [
        { kind: 'bold', parts: [code('a'), text(': b')] },
        text(' '),
        { kind: 'link', parts: [text('the '), code('c')], to: 'd.md' },
      ],
    },
  ]);
  const [heading] = readMarkdown('## The `webhook_secret`, again');
  expect(heading).toEqual({
    kind: 'heading',
    level: 2,
    text: [text('The '), code('webhook_secret'), text(', again')],
    id: 'the-webhook_secret-again',
  });
});

test('headings with the same text have anchors of their own, as other viewers make them', () => {
  const ids = readMarkdown('# A\n\n## Errors\n\n## Errors\n\n## Errors').flatMap((block) =>
    block.kind === 'heading' ? [[plainText(block.text), block.id]] : [],
  );
  expect(ids).toEqual([
    ['A', 'a'],
    ['Errors', 'errors'],
    ['Errors', 'errors-1'],
    ['Errors', 'errors-2'],
  ]);
});
