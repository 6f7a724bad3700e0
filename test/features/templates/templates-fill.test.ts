import { describe, expect, test } from '@jest/globals';
import { fillTemplate } from '../../../src/features/templates/rules/fill.ts';
import { fillTexts } from '../../../src/rules/templates/fill-texts.ts';
import type { GivenVariables } from '../../../src/rules/templates/filled.ts';
import { variablesSummary } from '../../../src/rules/templates/variables.ts';
import { Problems } from '../../../src/rules/templates/problems.ts';
import { Fault, maxFieldErrors } from '../../../src/kernel/faults.ts';
import type { FieldError } from '../../../src/kernel/faults.ts';
import type { Template } from '../../../src/rules/templates/template.ts';
import { templateOf } from '../../rules/samples.ts';

const orderReady = templateOf();
const all: GivenVariables = {
  header: ['Harbour Bakery'],
  body: ['Mia', 'A-1007'],
  buttons: [{ index: 0, value: 'A-1007' }],
};

const welcome = templateOf({
  name: 'welcome',
  parameterFormat: 'named',
  components: [
    {
      type: 'HEADER',
      format: 'TEXT',
      text: 'Hi from {{shop}}',
      example: { header_text_named_params: [{ param_name: 'shop', example: 'Harbour Bakery' }] },
    },
    {
      type: 'BODY',
      text: 'Hello {{first_name}}, welcome {{first_name}}, your number is {{customer_no}}.',
      example: { body_text_named_params: [{ param_name: 'customer_no', example: '7' }] },
    },
  ],
});

function withHeader(format: string): Template {
  return templateOf({
    components: [
      { type: 'HEADER', format },
      { type: 'BODY', text: 'Here it is.' },
    ],
  });
}

function withButtons(...buttons: Record<string, unknown>[]): Template {
  return templateOf({
    components: [
      { type: 'BODY', text: 'Here it is.' },
      { type: 'BUTTONS', buttons },
    ],
  });
}

const code = templateOf({
  category: 'AUTHENTICATION',
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ],
});

/** The errors by place, as in `body.1 missing`. */
function problems(template: Template, given: unknown): string[] {
  try {
    // Typed as the schema guarantees; odd values test what it might not cover.
    fillTemplate(
      template,
      given === null ? null : (JSON.parse(JSON.stringify(given)) satisfies GivenVariables),
    );
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !Array.isArray(thrown.detail)) throw thrown;
    return thrown.detail.map(({ loc, type }) => `${loc.slice(2).join('.')} ${type}`);
  }
  return [];
}

describe('filling a template [spec: Sending messages]', () => {
  test('positional variables are filled in their order', () => {
    expect(fillTemplate(orderReady, all)).toEqual({
      name: 'order_ready',
      language: 'en_US',
      header: [{ type: 'text', name: null, text: 'Harbour Bakery' }],
      body: [
        { type: 'text', name: null, text: 'Mia' },
        { type: 'text', name: null, text: 'A-1007' },
      ],
      buttons: [{ index: 0, fills: 'url', value: 'A-1007' }],
    });
  });

  test('named variables carry their names, each once however often the text has it', () => {
    const given = { header: { shop: 'Bakery' }, body: { customer_no: '7', first_name: 'Mia' } };
    expect(fillTemplate(welcome, given)).toMatchObject({
      header: [{ name: 'shop', text: 'Bakery' }],
      body: [
        { name: 'first_name', text: 'Mia' },
        { name: 'customer_no', text: '7' },
      ],
      buttons: [],
    });
  });

  test('a template without variables needs none', () => {
    const plain = templateOf({ components: [{ type: 'BODY', text: 'Hello!' }] });
    for (const given of [null, {}, { header: null, body: [], buttons: [] }]) {
      expect(fillTemplate(plain, given)).toMatchObject({ header: [], body: [], buttons: [] });
    }
  });

  test.each([
    [null, ['header.0 missing', 'body.0 missing', 'body.1 missing', 'buttons missing']],
    [{ ...all, body: ['Mia'] }, ['body.1 missing']],
    [{ ...all, body: ['Mia', 'A', 'more', 'and more'] }, ['body.2 value_error', 'body.3 value_error']],
    [{ ...all, header: [] }, ['header.0 missing']],
    [{ ...all, body: { first_name: 'Mia' } }, ['body list_type']],
    [{ ...all, body: ['', 'A'] }, ['body.0 value_error']],
    [{ ...all, body: ['   ', 'A'] }, ['body.0 value_error']],
    [{ ...all, body: ['a\nb', 'a\tb'] }, ['body.0 value_error', 'body.1 value_error']],
    [{ ...all, body: ['a     b', 'a    b'] }, ['body.0 value_error']],
    [{ ...all, body: ['x'.repeat(2049), 'é'.repeat(2048)] }, ['body.0 value_error']],
    [{ ...all, body: ['half \ud800', 'A'] }, ['body.0 value_error']],
    [{ ...all, buttons: [] }, ['buttons missing']],
    [{ ...all, buttons: [{ index: 0, value: 'a b' }] }, ['buttons.0 value_error']],
    [{ ...all, buttons: [{ index: 0, value: '' }] }, ['buttons.0 value_error']],
    [{ ...all, buttons: [{ index: 7, value: 'x' }] }, ['buttons.0 value_error', 'buttons missing']],
    [
      {
        ...all,
        buttons: [
          { index: 0, value: 'x' },
          { index: 0, value: 'y' },
        ],
      },
      ['buttons.1 value_error'],
    ],
  ])('wrong values are reported with their places (%#)', (given, wrong) => {
    expect(problems(orderReady, given)).toEqual(wrong);
  });

  test.each([
    [{ header: { shop: 'B' }, body: { first_name: 'Mia' } }, ['body.customer_no missing']],
    [
      { header: { shop: 'B' }, body: { first_name: 'M', customer_no: '7', age: '9' } },
      ['body.age value_error'],
    ],
    [{ header: ['B'], body: ['Mia', '7'] }, ['header dict_type', 'body dict_type']],
    [{ header: {}, body: { toString: 'x' } }, [
      'header.shop missing', 'body.toString value_error', 'body.first_name missing', 'body.customer_no missing',
    ]], // oxfmt-ignore
  ])('the same for named ones (%#)', (given, wrong) => {
    expect(problems(welcome, given)).toEqual(wrong);
  });

  test('a variable named like a member of every object is missing unless it was given', () => {
    const odd = templateOf({
      parameterFormat: 'named',
      components: [{ type: 'BODY', text: 'A {{constructor}} b' }],
    });
    expect(problems(odd, { body: {} })).toEqual(['body.constructor missing']);
  });

  test('of a hundred thousand surplus values fifty are reported', () => {
    const given = { ...all, body: Array.from({ length: 100_000 }, () => 'x') };
    expect(problems(orderReady, given)).toHaveLength(50);
  });
});

test.each([
  ['positional', Array.from({ length: 1_000 }, () => 'x')],
  ['named', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`v${n}`, 'x']))],
] as const)('no more surplus values are read than are reported, %s', (format, given) => {
  const errors: FieldError[] = [];
  class CountedProblems extends Problems {
    override addError(error: FieldError): void {
      errors.push(error);
      super.addError(error);
    }
  }
  expect(fillTexts([], given, format, ['body', 'variables', 'body'], new CountedProblems())).toEqual([]);
  expect(errors).toHaveLength(maxFieldErrors);
});

describe('other parts of a template', () => {
  test.each([
    ['IMAGE', 'image'],
    ['VIDEO', 'video'],
    ['GIF', 'gif'],
    ['DOCUMENT', 'document'],
  ])('a %s header needs a link, positional or named', (format, type) => {
    const link = 'https://files.example/menu';
    expect(fillTemplate(withHeader(format), { header: [link] }).header).toEqual([{ type, link }]);
    expect(fillTemplate(withHeader(format), { header: { [type]: link } }).header).toEqual([{ type, link }]);
    expect(problems(withHeader(format), {})).toEqual(['header.0 missing']);
  });

  test('a document may have the name that the recipient sees, positional or named', () => {
    const link = 'https://files.example/menu';
    const named = [{ type: 'document', link, filename: 'menu.pdf' }];
    const document = withHeader('DOCUMENT');
    expect(fillTemplate(document, { header: [link, 'menu.pdf'] }).header).toEqual(named);
    expect(fillTemplate(document, { header: { document: link, filename: 'menu.pdf' } }).header).toEqual(
      named,
    );
    expect(fillTemplate(document, { header: [link, ''] }).header).toEqual([{ type: 'document', link }]);
    expect(problems(document, { header: [link, 'm'.repeat(256)] })).toEqual(['header value_error']);
    expect(problems(document, { header: [link, 'menu.pdf', 'more'] })).toHaveLength(1);
    expect(problems(document, { header: { filename: 'menu.pdf' } })).toHaveLength(1);
    expect(problems(withHeader('IMAGE'), { header: [link, 'menu.png'] })).toHaveLength(1);
  });

  test('a location needs four values', () => {
    const header = ['53.5', '9.9', 'Harbour Bakery', 'Pier 7'];
    expect(fillTemplate(withHeader('LOCATION'), { header }).header).toEqual([
      { type: 'location', latitude: '53.5', longitude: '9.9', name: 'Harbour Bakery', address: 'Pier 7' },
    ]);
    expect(problems(withHeader('LOCATION'), { header: header.slice(1) })).toEqual(['header.3 missing']);
  });

  test('the code of an authentication template fills its button too', () => {
    const filled = { body: [{ text: '123456' }], buttons: [{ index: 0, fills: 'url', value: '123456' }] };
    expect(fillTemplate(code, { body: ['123456'] })).toMatchObject(filled);
    expect(fillTemplate(code, { body: ['123456'], buttons: [{ index: 0, value: '123456' }] })).toMatchObject(
      filled,
    );
    expect(problems(code, { body: ['123456'], buttons: [{ index: 0, value: '1' }] })).toEqual([
      'buttons.0 value_error',
    ]);
    expect(problems(code, null)).toEqual(['body.0 missing']);
  });

  test('a coupon is needed, the payload of a quick reply is not', () => {
    const offer = withButtons(
      { type: 'QUICK_REPLY', text: 'Stop' },
      { type: 'COPY_CODE', example: 'SPRING' },
    );
    const buttons = [
      { index: 1, value: 'SPRING25' },
      { index: 0, value: 'STOP now' },
    ];
    expect(fillTemplate(offer, { buttons }).buttons).toEqual([
      { index: 0, fills: 'quick_reply', value: 'STOP now' },
      { index: 1, fills: 'copy_code', value: 'SPRING25' },
    ]);
    expect(fillTemplate(offer, { buttons: buttons.slice(0, 1) }).buttons).toHaveLength(1);
    expect(problems(offer, null)).toEqual(['buttons missing']);
    expect(problems(offer, { buttons: [{ index: 1, value: 'X'.repeat(21) }] })).toEqual([
      'buttons.0 value_error',
    ]);
  });

  test('a fixed link and a phone number need nothing', () => {
    const fixed = withButtons(
      { type: 'URL', text: 'Shop', url: 'https://shop.example' },
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+491' },
    );
    expect(fillTemplate(fixed, null).buttons).toEqual([]);
    expect(problems(fixed, { buttons: [{ index: 0, value: 'x' }] })).toEqual(['buttons.0 value_error']);
  });

  test.each([
    [[]],
    [[{}]],
    [[{ type: 7, text: {} }]],
    [[{ type: 'BODY', text: null, example: 'x' }]],
    [[{ type: 'BUTTONS', buttons: 'x' }]],
    [[{ type: 'BUTTONS', buttons: [null, 7, { type: 'URL' }] }]],
    [[{ type: 'HEADER', format: 'HOLOGRAM' }]],
  ])('invalid components of upstream do no harm: %j', (components) => {
    const odd = templateOf({ components });
    expect(fillTemplate(odd, null)).toMatchObject({ header: [], body: [], buttons: [] });
    expect(() => variablesSummary(odd)).not.toThrow();
  });
});

describe('the summary of variables [spec: TemplateVariablesSummary]', () => {
  test('counts the values that a send must give, with examples', () => {
    expect(variablesSummary(orderReady)).toEqual({
      totalCount: 4,
      parameterFormat: 'positional',
      header: [{ position: 1, name: null, example: 'Harbour Bakery' }],
      body: [
        { position: 1, name: null, example: 'Mia' },
        { position: 2, name: null, example: 'A-1007' },
      ],
      buttons: [{ index: 0, type: 'URL', position: 1, name: null, example: 'A' }],
      cards: null,
      needsOfferEnd: false,
    });
  });

  test('named variables have their names; one without an example has none', () => {
    expect(variablesSummary(welcome)).toMatchObject({
      totalCount: 3,
      parameterFormat: 'named',
      body: [
        { position: 1, name: 'first_name', example: null },
        { position: 2, name: 'customer_no', example: '7' },
      ],
      buttons: null,
    });
  });

  test('an authentication template has only its code', () => {
    expect(variablesSummary(code)).toMatchObject({ totalCount: 1, header: null, buttons: null });
  });
});
