import { describe, expect, test } from '@jest/globals';
import { checkComponents } from '../../../src/features/templates/rules/check-components.ts';
import type { ComponentInput } from '../../../src/rules/templates/template.ts';
import { Fault } from '../../../src/kernel/faults.ts';

const positional = { category: 'UTILITY', parameterFormat: 'positional' } as const;
const named = { category: 'MARKETING', parameterFormat: 'named' } as const;
const authentication = { category: 'AUTHENTICATION', parameterFormat: 'positional' } as const;

type Rules = typeof positional | typeof named | typeof authentication;

/** The refused places, without `body.components`; with the sentence if it is asked for. */
function refused(components: ComponentInput[], rules: Rules = positional): string[] {
  try {
    checkComponents(components, rules);
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !Array.isArray(thrown.detail)) throw thrown;
    return thrown.detail.map(({ loc }) => loc.slice(2).join('.'));
  }
  return [];
}

const plain: ComponentInput = { type: 'BODY', text: 'Your order is ready.' };

function body(text: string, example?: ComponentInput['example']): ComponentInput[] {
  return [{ type: 'BODY', text, ...(example === undefined ? {} : { example }) }];
}

function header(text: string | null, more: Partial<ComponentInput> = {}): ComponentInput[] {
  return [{ type: 'HEADER', format: 'TEXT', text, ...more }, plain];
}

function buttons(...given: Record<string, unknown>[]): ComponentInput[] {
  return [plain, { type: 'BUTTONS', buttons: given }];
}

const reply = { type: 'QUICK_REPLY', text: 'Thanks' };
const link = { type: 'URL', text: 'Shop', url: 'https://shop.example/' };
const track = {
  type: 'URL',
  text: 'Track',
  url: 'https://shop.example/t/{{1}}',
  example: ['https://shop.example/t/A'],
};

describe('components as upstream accepts them [upstream §6.2]', () => {
  test('a complete template is passed on unchanged, without unknown members', () => {
    const whole: ComponentInput[] = [
      { type: 'HEADER', format: null, text: 'Hi from {{1}}', example: { header_text: ['Bakery'] } },
      { type: 'BODY', text: 'Dear {{1}}, {{2}} is ready.', example: { body_text: [['Mia', 'A']] } },
      { type: 'FOOTER', text: 'See you', example: null, buttons: [] },
      { type: 'BUTTONS', text: 'ignored', buttons: [{ ...track, type: 'url' }, reply] },
    ];
    expect(checkComponents(whole, positional)).toEqual([
      { type: 'HEADER', format: 'TEXT', text: 'Hi from {{1}}', example: { header_text: ['Bakery'] } },
      { type: 'BODY', text: 'Dear {{1}}, {{2}} is ready.', example: { body_text: [['Mia', 'A']] } },
      { type: 'FOOTER', text: 'See you' },
      { type: 'BUTTONS', buttons: [track, reply] },
    ]);
  });

  test('every violation is named at once', () => {
    const components: ComponentInput[] = [
      { type: 'FOOTER', text: 'Yours, {{1}}' },
      { type: 'FOOTER', text: 'x'.repeat(61) },
    ];
    expect(refused(components)).toEqual(['', '0.text', '1.type', '1.text']);
  });
});

describe('which components a template has', () => {
  test.each<[string, ComponentInput[], string[]]>([
    ['none', [], ['']],
    ['no body', [{ type: 'FOOTER', text: 'x' }], ['']],
    ['two bodies', [plain, plain], ['1.type']],
    ['two headers', [...header('A'), ...header('B').slice(0, 1)], ['2.type']],
  ])('%s', (_, components, wrong) => {
    expect(refused(components)).toEqual(wrong);
  });
});

describe('texts', () => {
  test.each<[string, ComponentInput[], string[]]>([
    ['a header of 60 characters', header('x'.repeat(60)), []],
    ['a header of 60 emoji', header('🥐'.repeat(60)), []],
    ['a header of 61', header('x'.repeat(61)), ['0.text']],
    ['a header without text', header(null), ['0.text']],
    ['a header that is an image', header('x', { format: 'IMAGE' }), ['0.format']],
    [
      'a header with two variables',
      header('{{1}} {{2}}', { example: { header_text: ['a', 'b'] } }),
      ['0.text'],
    ],
    ['a body of 1,024 characters', body('x'.repeat(1_024)), []],
    ['a body of 1,025', body('x'.repeat(1_025)), ['0.text']],
    ['an empty body', body(''), ['0.text']],
    ['a body of spaces', body('   '), ['0.text']],
    ['a body with NUL', body('a\0b'), ['0.text']],
    ['a footer of 60', [plain, { type: 'FOOTER', text: 'x'.repeat(60) }], []],
    ['a footer of 61', [plain, { type: 'FOOTER', text: 'x'.repeat(61) }], ['1.text']],
    ['a footer with a variable', [plain, { type: 'FOOTER', text: 'a {{1}} b' }], ['1.text']],
  ])('%s', (_, components, wrong) => {
    expect(refused(components)).toEqual(wrong);
  });
});

describe('variables of a positional template', () => {
  const two = { body_text: [['Mia', 'A']] };
  test.each<[string, ComponentInput[], string[]]>([
    ['numbered from 1', body('Dear {{1}}, {{2}} is ready.', two), []],
    ['in any order, one twice', body('Order {{2}} of {{1}} is {{2}}.', two), []],
    ['with a gap', body('Dear {{1}}, {{3}} is ready.', two), ['0.text']],
    ['from 0', body('Dear {{0}}, all is ready.', { body_text: [['Mia']] }), ['0.text']],
    ['with a leading zero', body('Dear {{01}}, all is ready.', { body_text: [['Mia']] }), ['0.text']],
    ['with a name', body('Dear {{first_name}}, all is ready.', { body_text: [['Mia']] }), ['0.text']],
    ['in spaces', body('Dear {{ 1 }}, all is ready.'), ['0.text']],
    ['empty', body('Dear {{}}, all is ready.'), ['0.text']],
    ['open', body('Dear {{1, all is ready.'), ['0.text']],
    ['at the start, before a sign', body('{{1}}, all is ready.', { body_text: [['Mia']] }), []],
    ['at the start', body('{{1}} is ready.', { body_text: [['A']] }), ['0.text']],
    ['at the end', body('Dear {{1}}', { body_text: [['Mia']] }), ['0.text']],
    ['side by side', body('Dear {{1}} {{2}}, ready.', two), ['0.text']],
    ['without examples', body('Dear {{1}}, {{2}} is ready.'), ['0.example.body_text']],
    ['with too few', body('Dear {{1}}, {{2}} is ready.', { body_text: [['Mia']] }), ['0.example.body_text']],
    ['with too many', body('Dear {{1}}, ready.', two), ['0.example.body_text']],
    ['with a flat list', body('Dear {{1}}, ready.', { body_text: ['Mia'] }), ['0.example.body_text']],
    ['with numbers', body('Dear {{1}}, ready.', { body_text: [[7]] }), ['0.example.body_text']],
    ['of a header without example', header('Hi {{1}}'), ['0.example.header_text']],
  ])('%s', (_, components, wrong) => {
    expect(refused(components)).toEqual(wrong);
  });
});

describe('variables of a named template', () => {
  const example = { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] };
  test.each<[string, ComponentInput[], string[]]>([
    ['with its example', body('Dear {{first_name}}, all is ready.', example), []],
    [
      'in upper case',
      body('Dear {{First}}, all is ready.', example),
      ['0.text', '0.example.body_text_named_params'],
    ],
    ['a number', body('Dear {{1}}, ready.', example), ['0.text', '0.example.body_text_named_params']],
    ...['constructor', 'prototype'].map((name): [string, ComponentInput[], string[]] => [
      `called ${name}, for which no body could carry a value`,
      body(`Dear {{${name}}}, ready.`, { body_text_named_params: [{ param_name: name, example: 'x' }] }),
      ['0.text'],
    ]),
    ['without its example', body('Dear {{age}}, ready.', example), ['0.example.body_text_named_params']],
    [
      'with one too many',
      body('Dear {{first_name}}, ready.', {
        body_text_named_params: [...example.body_text_named_params, { param_name: 'age', example: '7' }],
      }),
      ['0.example.body_text_named_params'],
    ],
    [
      'with a positional example',
      body('Dear {{age}}, ready.', { body_text: [['7']] }),
      ['0.example.body_text_named_params'],
    ],
    [
      'in the header',
      header('Hi {{shop}}', {
        example: { header_text_named_params: [{ param_name: 'shop', example: 'B' }] },
      }),
      [],
    ],
  ])('%s', (_, components, wrong) => {
    expect(refused(components, named)).toEqual(wrong);
  });
});

describe('buttons inside a component that has none', () => {
  test.each(['HEADER', 'BODY', 'FOOTER'] as const)('%s', (type) => {
    const texts = type === 'BODY' ? [] : [plain];
    const given: ComponentInput = {
      type,
      text: 'Soon it is,',
      ...(type === 'HEADER' ? { format: 'TEXT' } : {}),
      buttons: [reply],
    };
    const place = `${texts.length}.buttons`;
    expect(refused([...texts, given])).toEqual([place]);
  });

  test('of a code too', () => {
    const code: ComponentInput[] = [
      { type: 'BODY', buttons: [reply] },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ];
    expect(refused(code, authentication)).toEqual(['0.buttons']);
  });
});

describe('buttons', () => {
  test.each<[string, Record<string, unknown>[], string[]]>([
    ['ten quick replies', Array.from({ length: 10 }, () => reply), []],
    ['eleven', Array.from({ length: 11 }, () => reply), ['1.buttons']],
    ['none', [], ['1.buttons']],
    ['an unknown kind', [{ type: 'ROCKET', text: 'x' }], ['1.buttons.0.type']],
    ['no kind', [{}], ['1.buttons.0.type']],
    ['a one-time code', [{ type: 'OTP', otp_type: 'COPY_CODE' }], ['1.buttons.0.type']],
    ['three links', [link, link, link], ['1.buttons.2.type']],
    ['replies first, then others', [reply, reply, link], []],
    ['others first', [link, reply], []],
    ['mixed', [reply, link, reply], ['1.buttons.2']],
    ['a text of 25', [{ ...reply, text: 'x'.repeat(25) }], []],
    ['a text of 26', [{ ...reply, text: 'x'.repeat(26) }], ['1.buttons.0.text']],
    ['a reply without text', [{ type: 'QUICK_REPLY' }], ['1.buttons.0.text']],
    ['a text with a variable', [{ ...reply, text: 'Hi {{1}}' }], ['1.buttons.0.text']],
    ['a text that is a number', [{ ...reply, text: 7 }], ['1.buttons.0.text']],
    ['a link with its example', [track], []],
    ['a link with its example as text', [{ ...track, example: 'https://shop.example/t/A' }], []],
    ['a link without example', [{ ...track, example: [] }], ['1.buttons.0.example']],
    ['a link without URL', [{ type: 'URL', text: 'Shop' }], ['1.buttons.0.url']],
    ['a link that is none', [{ ...link, url: 'shop' }], ['1.buttons.0.url']],
    ['a link that is a script', [{ ...link, url: 'javascript:alert(1)' }], ['1.buttons.0.url']],
    ['a variable inside the link', [{ ...link, url: 'https://{{1}}.example/x' }], ['1.buttons.0.url']],
    ['a link of 2,001', [{ ...link, url: `https://a.example/${'x'.repeat(1_983)}` }], ['1.buttons.0.url']],
    ['a number to call', [{ type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100042' }], []],
    ['no number', [{ type: 'PHONE_NUMBER', text: 'Call' }], ['1.buttons.0.phone_number']],
    ['a coupon', [{ type: 'COPY_CODE', example: 'SPRING25' }], []],
    ['a coupon in a list', [{ type: 'COPY_CODE', example: ['SPRING25'] }], []],
    ['a coupon without example', [{ type: 'COPY_CODE' }], ['1.buttons.0.example']],
    ['a flow', [{ type: 'FLOW', text: 'Book', flow_id: '7' }], []],
    ['a flow without one', [{ type: 'FLOW', text: 'Book' }], ['1.buttons.0.flow_id']],
    ['a catalogue', [{ type: 'CATALOG', text: 'View' }], []],
    ['half a character deep inside', [{ ...reply, more: [{ x: '\ud800' }] }], ['1.buttons']],
  ])('%s', (_, given, wrong) => {
    expect(refused(buttons(...given))).toEqual(wrong);
  });
});

describe('an authentication template', () => {
  const otp = { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' };
  function code(...more: ComponentInput[]): ComponentInput[] {
    return [{ type: 'BODY', add_security_recommendation: true }, ...more];
  }

  test('has fixed texts and one button', () => {
    const given = code({ type: 'FOOTER', code_expiration_minutes: 10 }, { type: 'BUTTONS', buttons: [otp] });
    expect(checkComponents(given, authentication)).toEqual(given);
  });

  test.each<[string, ComponentInput[], string[]]>([
    [
      'a text of its own',
      [
        { type: 'BODY', text: 'Code: {{1}}.' },
        { type: 'BUTTONS', buttons: [otp] },
      ],
      ['0.text'],
    ],
    ['a header', code({ type: 'HEADER' }, { type: 'BUTTONS', buttons: [otp] }), ['1.type']],
    ['no buttons', code(), ['']],
    ['another button', code({ type: 'BUTTONS', buttons: [reply] }), ['1.buttons']],
    ['two buttons', code({ type: 'BUTTONS', buttons: [otp, otp] }), ['1.buttons']],
    [
      'an unknown kind',
      code({ type: 'BUTTONS', buttons: [{ ...otp, otp_type: 'MAGIC' }] }),
      ['1.buttons.0.otp_type'],
    ],
    [
      'one tap without apps',
      code({ type: 'BUTTONS', buttons: [{ ...otp, otp_type: 'ONE_TAP' }] }),
      ['1.buttons.0.supported_apps'],
    ],
    [
      'a life of 91 minutes',
      code({ type: 'FOOTER', code_expiration_minutes: 91 }, { type: 'BUTTONS', buttons: [otp] }),
      ['1.code_expiration_minutes'],
    ],
  ])('%s', (_, components, wrong) => {
    expect(refused(components, authentication)).toEqual(wrong);
  });
});

test('at most fifty violations are reported, however many there are', () => {
  const many = Array.from({ length: 100 }, (): ComponentInput => ({ type: 'FOOTER', text: '' }));
  expect(refused(many)).toHaveLength(50);
});

describe('an edit replaces everything: what upstream has must go out again, or be refused', () => {
  const outOf = (components: ComponentInput[], rules: Rules = positional): unknown =>
    checkComponents(components, rules);

  test.each([
    [
      'a flow',
      {
        type: 'FLOW',
        text: 'Book',
        flow_id: '7',
        flow_action: 'navigate',
        navigate_screen: 'DAY',
        icon: 'DEFAULT',
      },
    ],
    [
      'a URL',
      {
        type: 'URL',
        text: 'Track',
        url: 'https://shop.example/{{1}}',
        example: ['A-1'],
        app_deep_link: { meta_app_id: 1 },
      },
    ],
    ['a code', { type: 'COPY_CODE', example: ['SAVE10'], text: 'Copy' }],
    ['a call', { type: 'VOICE_CALL', text: 'Call', ttl_minutes: 60 }],
  ])('%s keeps every member of its button', (_, button) => {
    expect(outOf(buttons(button))).toEqual([plain, { type: 'BUTTONS', buttons: [button] }]);
  });

  test('a one-time code keeps its apps, advice and life', () => {
    const otp = {
      type: 'OTP',
      otp_type: 'ZERO_TAP',
      text: 'Copy',
      autofill_text: 'Fill in',
      zero_tap_terms_accepted: true,
      supported_apps: [{ package_name: 'com.example', signature_hash: 'K8a/AINcGX7' }],
    };
    const components: ComponentInput[] = [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [otp] },
    ];
    expect(outOf(components, authentication)).toEqual(components);
  });

  test('examples of header and body go out as given', () => {
    const components: ComponentInput[] = [
      { type: 'HEADER', format: 'TEXT', text: 'From {{1}}', example: { header_text: ['Mia'] } },
      { type: 'BODY', text: 'Dear {{1}}, it is ready.', example: { body_text: [['Mia']] } },
    ];
    expect(outOf(components)).toEqual(components);
  });

  test.each([
    [
      'a header with a file',
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://c/1'] } },
    ],
    ['the text of an authentication template', { type: 'BODY', text: '{{1}} is your code.' }],
  ] satisfies [string, ComponentInput][])('%s is refused, not dropped', (_, component) => {
    const rules = component.type === 'BODY' ? authentication : positional;
    expect(refused([component, plain], rules)[0]).toMatch(/^0\./);
  });
});
