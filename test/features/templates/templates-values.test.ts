/** The errors of refused values for a template's variables: the place, and a sentence that says what is valid. */
import { describe, expect, test } from '@jest/globals';
import { fillTemplate } from '../../../src/features/templates/rules/fill.ts';
import type { GivenVariables } from '../../../src/rules/templates/filled.ts';
import type { Template } from '../../../src/rules/templates/template.ts';
import { saidOf, templateOf } from '../../rules/samples.ts';

const plain = { type: 'BODY', text: 'Your order is ready.' };

describe('values', () => {
  const order = templateOf();
  const all = { header: ['Bakery'], body: ['Mia', 'A'], buttons: [{ index: 0, value: 'A' }] };
  const oneName = templateOf({
    parameterFormat: 'named',
    components: [{ type: 'BODY', text: 'Dear {{name}}, hello.' }],
  });
  const withButtons = (...given: Record<string, unknown>[]): Template =>
    templateOf({ components: [plain, { type: 'BUTTONS', buttons: given }] });
  const none = templateOf({ components: [plain] });
  const aCode = templateOf({
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
  });
  const at = (place: string, sentence: string): string =>
    `value_error body.variables.${place}: Value error, ${sentence}`;
  const missingAt = (place: string, what: string): string =>
    `missing body.variables.${place}: Field required: ${what}`;
  const noButton = 'the template has no button with this index that takes a value';

  test.each<[string, Template, GivenVariables | null, string[]]>([
    [
      'none',
      order,
      null,
      [
        missingAt('header.0', "the template's variable {{1}}"),
        missingAt('body.0', "the template's variable {{1}}"),
        missingAt('body.1', "the template's variable {{2}}"),
        missingAt('buttons', 'a value for the URL button with index 0'),
      ],
    ],
    [
      'one too many',
      order,
      { ...all, body: ['Mia', 'A', 'B'] },
      [at('body.2', 'the template has no variable {{3}} here; it has only 2')],
    ],
    [
      'one where none is',
      none,
      { body: ['Mia'] },
      [at('body.0', 'the template has no variable {{1}} here; it has none')],
    ],
    [
      'names for places, after which the header is not asked for',
      order,
      { ...all, body: { name: 'Mia' } },
      [
        'list_type body.variables.body: Input should be a valid list: the variables of this template are positional',
      ],
    ],
    [
      'places for names',
      oneName,
      { body: ['Mia'] },
      [
        'dict_type body.variables.body: Input should be a valid dictionary: the variables of this template are named',
      ],
    ],
    [
      'a name of a hundred and one signs too many, of which a hundred are shown',
      oneName,
      { body: { name: 'Mia', ['x'.repeat(101)]: '7' } },
      [
        at(
          `body.${'x'.repeat(100)}`,
          `the template has no variable {{${'x'.repeat(100)}}} here; it has only 1`,
        ),
      ],
    ],
    ['no name', oneName, { body: {} }, [missingAt('body.name', "the template's variable {{name}}")]],
    ['an empty one', order, { ...all, body: [' ', 'A'] }, [at('body.0', 'must not be empty')]],
    ['a tab', order, { ...all, body: ['a\tb', 'A'] }, [at('body.0', 'must not contain line breaks or tabs')]],
    [
      'five spaces',
      order,
      { ...all, body: ['a     b', 'A'] },
      [at('body.0', 'must not contain more than 4 consecutive spaces')],
    ],
    [
      '2,049 characters',
      order,
      { ...all, body: ['x'.repeat(2_049), 'A'] },
      [at('body.0', 'must have at most 2048 characters')],
    ],
    ['2,048 emoji', order, { ...all, body: ['🥐'.repeat(2_048), 'A'] }, []],
    ['NUL', order, { ...all, body: ['\0', 'A'] }, [at('body.0', 'text must not contain NUL characters')]],
    [
      'an empty end of a URL',
      order,
      { ...all, buttons: [{ index: 0, value: '' }] },
      [at('buttons.0', 'must not be empty')],
    ],
    [
      'a space in the end of a URL',
      order,
      { ...all, buttons: [{ index: 0, value: 'a b' }] },
      [at('buttons.0', 'must not contain spaces')],
    ],
    ['2,000 characters in a URL', order, { ...all, buttons: [{ index: 0, value: 'x'.repeat(2_000) }] }, []],
    [
      '2,001 characters in a URL',
      order,
      { ...all, buttons: [{ index: 0, value: 'x'.repeat(2_001) }] },
      [at('buttons.0', 'must have at most 2000 characters')],
    ],
    [
      'a button that is not there',
      none,
      { buttons: [{ index: 0, value: 'x' }] },
      [at('buttons.0', noButton)],
    ],
    [
      'a button twice',
      order,
      { ...all, buttons: [...all.buttons, ...all.buttons] },
      [at('buttons.1', 'a button can have only one value')],
    ],
    [
      'another code for the button',
      aCode,
      { body: ['1'], buttons: [{ index: 0, value: '2' }] },
      [at('buttons.0', 'the button must have the same code as the body')],
    ],
    [
      'a flow with spaces in its value, which are words there',
      withButtons({ type: 'FLOW', text: 'Book', flow_id: '7' }),
      { buttons: [{ index: 0, value: 'a b' }] },
      [],
    ],
    ['a flow without its value', withButtons({ type: 'FLOW', text: 'Book', flow_id: '7' }), null, []],
  ])('%s', (_, template, given, said) => {
    expect(saidOf(() => fillTemplate(template, given))).toEqual(said);
  });

  test("a flow button with a value uses it as the flow's", () => {
    const flow = withButtons({ type: 'FLOW', text: 'Book', flow_id: '7' });
    expect(fillTemplate(flow, { buttons: [{ index: 0, value: 'token' }] }).buttons).toEqual([
      { index: 0, fills: 'flow', value: 'token' },
    ]);
  });

  test('of a hundred thousand wrong values for buttons fifty are named', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index: index + 5, value: 'x' }));
    expect(saidOf(() => fillTemplate(none, { buttons: many }))).toEqual(
      Array.from({ length: 50 }, (_, place) => at(`buttons.${place}`, noButton)),
    );
  });

  test('fifty problems are named where more are found', () => {
    const given = { body: Array.from({ length: 60 }, () => 'x') };
    expect(saidOf(() => fillTemplate(order, given))).toHaveLength(50);
  });
});
