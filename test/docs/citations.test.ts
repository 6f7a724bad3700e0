/** Every rule that a comment or a test cites is in `docs/`. */
import { describe, expect, test } from '@jest/globals';
import { citationsIn, danglingIn } from './citations.ts';
import { sectionsOf } from './page.ts';
import { filesIn, pages, asText } from './pages.ts';

const endings = ['.ts', '.tsx', '.js', '.mjs', '.lua', '.env', '.yml', '.md', '.css'];

describe('citations', () => {
  test('every citation resolves to a heading, a rule or a row of docs/', () => {
    const dangling = ['src', 'actors', 'config', 'bench', 'test']
      .flatMap((folder) => filesIn(folder, endings))
      .filter((file) => !file.startsWith('test/docs/'))
      .flatMap((file) =>
        citationsIn(asText(file)).flatMap((citation) =>
          danglingIn(citation, pages).map(
            (missing) => `${file}:${citation.line} [${citation.text}]: docs/ has no "${missing}"`,
          ),
        ),
      );
    expect(dangling).toEqual([]);
  });
});

describe('what counts as resolved', () => {
  const page = sectionsOf(`
## Errors
1. First
2. Second

## Channel (ChannelOut)
| field | is |
|---|---|
| \`name\`, \`page_id\` | names |

## 2. Rooms
1. Rule one
### 2.1 Actors
- **Drain** (SIGTERM): all
### 3a. A send
| I1 | loss |
| 23 | fault |
`);
  const made = {
    spec: page,
    architecture: page,
    faults: page,
    upstream: page,
    'operator-interface': page,
    performance: page,
  };
  const danglingOf = (source: string): string[] =>
    citationsIn(source).flatMap((citation) => danglingIn(citation, made));

  test.each([
    '[spec: Errors]',
    '[spec: Errors 1, 2]',
    '[spec: Channel]',
    '[spec: ChannelOut]',
    '[spec: Channel, `page_id`]',
    '[spec: Errors: a note, with a comma; architecture §2.1]',
    '[architecture §2]',
    '[architecture §2.1, Drain]',
    '[architecture §2.1 Drain]',
    '[architecture §3a; faults: I1, 23]',
    '[architecture §2 "as the page says"]',
    '[spec: Errors\n * 1; faults 23]',
  ])('%s', (citation) => {
    expect(citationsIn(citation)).toHaveLength(1);
    expect(danglingOf(citation)).toEqual([]);
  });

  test.each([
    ['[spec: Nowhere]', 'Nowhere'],
    ['[spec: Errors 3]', 'Errors 3'],
    ['[spec: Errors 1, 3]', '3'],
    ['[spec: Channels]', 'Channels'],
    ['[spec: Channel, `nobody`]', '`nobody`'],
    ['[architecture §4]', '§4'],
    ['[architecture §2.2]', '§2.2'],
    ['[architecture §2.1, Acquire]', 'Acquire'],
    ['[faults: I1-I3]', 'I1-I3'],
    ['[faults: 23, 24]', '24'],
    ['[spec: Errors; faults: 99]', '99'],
    ['[issue: somewhere else]', 'issue'],
    ['[elsewhere §1]', 'elsewhere §1'],
  ])('%s dangles', (citation, missing) => {
    expect(danglingOf(citation)).toEqual([missing]);
  });

  test('a citation is reported with its line', () => {
    expect(citationsIn('// one\n// [spec: Nowhere]')).toEqual([{ line: 2, text: 'spec: Nowhere' }]);
  });

  test('code in brackets is no citation', () => {
    expect(citationsIn('[upstream, simulator] = [faults.length, { [key]: spec }]')).toEqual([]);
  });
});
