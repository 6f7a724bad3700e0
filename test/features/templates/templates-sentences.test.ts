/** The errors of a refused template: the place, and a sentence that says what is valid. */
import { describe, expect, test } from '@jest/globals';
import { checkComponents } from '../../../src/features/templates/rules/check-components.ts';
import type { ComponentInput } from '../../../src/rules/templates/template.ts';
import { saidOf } from '../../rules/samples.ts';

const positional = { category: 'UTILITY', parameterFormat: 'positional' } as const;
const named = { category: 'UTILITY', parameterFormat: 'named' } as const;
const authentication = { category: 'AUTHENTICATION', parameterFormat: 'positional' } as const;

/** The errors at places below `body.components`, all of the type `value_error`. */
function wrong(place: string, sentence: string): string {
  return `value_error body.components.${place}: Value error, ${sentence}`;
}

function missing(place: string, sentence: string): string {
  return `missing body.components.${place}: Field required: ${sentence}`;
}

const plain: ComponentInput = { type: 'BODY', text: 'Your order is ready.' };
const otp = { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' };
const reply = { type: 'QUICK_REPLY', text: 'Thanks' };
const track = {
  type: 'URL',
  text: 'Track',
  url: 'https://shop.example/t/{{1}}',
  example: 'https://a.example',
};

type Example = ComponentInput['example'];

function body(text: string, example: Example = null): ComponentInput[] {
  return [{ type: 'BODY', text, example }];
}

function header(text: string, more: Partial<ComponentInput> = {}): ComponentInput[] {
  return [plain, { type: 'HEADER', text, ...more }];
}

function buttons(...given: Record<string, unknown>[]): ComponentInput[] {
  return [plain, { type: 'BUTTONS', buttons: given }];
}

function code(...given: Record<string, unknown>[]): ComponentInput[] {
  return [{ type: 'BODY' }, { type: 'BUTTONS', buttons: given }];
}

function lifeOf(minutes: number | null): ComponentInput[] {
  return [...code(otp), { type: 'FOOTER', code_expiration_minutes: minutes }];
}

describe('components', () => {
  test.each<[string, ComponentInput[], string[]]>([
    ['no body', [], ['value_error body.components: Value error, a template needs a BODY component']],
    ['a second body', [plain, plain], [wrong('1.type', 'a template can have at most one BODY component')]],
    [
      'buttons in a footer',
      [plain, { type: 'FOOTER', text: 'x', buttons: [reply] }],
      [wrong('1.buttons', 'buttons belong in a component of type BUTTONS')],
    ],
    ['no buttons at all', [plain, { type: 'BUTTONS' }], [missing('1.buttons', 'one to ten buttons')]],
  ])('%s', (_, given, said) => {
    expect(saidOf(() => checkComponents(given, positional))).toEqual(said);
  });
});

describe('texts', () => {
  test.each<[string, ComponentInput[], string[]]>([
    [
      'an image as header',
      header('x', { format: 'IMAGE' }),
      [wrong('1.format', 'the format of a header must be TEXT')],
    ],
    ['no header text', header(''), [missing('1.text', 'the text of the header')]],
    [
      'two variables in a header',
      header('{{1}} {{2}}', { example: { header_text: ['a', 'b'] } }),
      [wrong('1.text', 'a header can have at most one variable')],
    ],
    [
      'a wrong variable in a header',
      header('Hi {{x}}', { example: { header_text: ['a'] } }),
      [
        wrong(
          '1.text',
          '{{x}} is not a number; variables of a positional template are {{1}}, {{2}} and so on',
        ),
      ],
    ],
    ['no body text', body(''), [missing('0.text', 'the text of the body')]],
    [
      'a body of 1,025 characters',
      body('x'.repeat(1_025)),
      ['string_too_long body.components.0.text: String should have at most 1024 characters'],
    ],
    [
      'no footer text',
      [plain, { type: 'FOOTER', text: null }],
      [missing('1.text', 'the text of the footer')],
    ],
    [
      'a variable in a footer',
      [plain, { type: 'FOOTER', text: 'to {{1}}.' }],
      [wrong('1.text', 'a footer cannot have variables')],
    ],
    [
      'a text with NUL, of whose variables nothing more is said',
      body('a\0 {{x}}'),
      [wrong('0.text', 'text must not contain NUL characters')],
    ],
    [
      'double braces around nothing',
      body('Dear {{}}, hello.'),
      [
        wrong(
          '0.text',
          'must not have double braces without a variable between them; a variable is written {{1}} or {{name}}',
        ),
      ],
    ],
    [
      'braces that meet where a variable stood',
      body('Dear {{{1}}{ you.', { body_text: [['Mia']] }),
      [
        wrong(
          '0.text',
          'must not have double braces without a variable between them; a variable is written {{1}} or {{name}}',
        ),
      ],
    ],
    [
      'a gap',
      body('Dear {{1}}, {{3}} is ready.', { body_text: [['a', 'b']] }),
      [wrong('0.text', 'variables are numbered from 1 without gaps: {{2}} is missing')],
    ],
    ...['x1', '12345', '1x'].map((name): [string, ComponentInput[], string[]] => [
      `the number ${name}`,
      body(`Dear {{${name}}}, hello.`, { body_text: [['a']] }),
      [
        wrong(
          '0.text',
          `{{${name}}} is not a number; variables of a positional template are {{1}}, {{2}} and so on`,
        ),
      ],
    ]),
    [
      'a name of a hundred and one signs, of which a hundred are shown',
      body(`Dear {{${'x'.repeat(101)}}}, hello.`, { body_text: [['a']] }),
      [
        wrong(
          '0.text',
          `{{${'x'.repeat(100)}}} is not a number; variables of a positional template are {{1}}, {{2}} and so on`,
        ),
      ],
    ],
    [
      'a variable at the start, after spaces',
      body('  {{1}} is ready.', { body_text: [['a']] }),
      [wrong('0.text', 'must not start with a variable')],
    ],
    [
      'a variable at the end, before spaces',
      body('Ready: {{1}}  ', { body_text: [['a']] }),
      [wrong('0.text', 'must not end with a variable')],
    ],
    [
      'a variable alone',
      body('{{1}}', { body_text: [['a']] }),
      [wrong('0.text', 'must not start with a variable'), wrong('0.text', 'must not end with a variable')],
    ],
    ...['', ' ', '  '].map((between): [string, ComponentInput[], string[]] => [
      `${between.length} spaces between two variables`,
      body(`Dear {{1}}${between}{{2}}.`, { body_text: [['a', 'b']] }),
      [wrong('0.text', 'must have words between two variables')],
    ]),
    ['ten variables', body(`Dear ${tenVariables()}.`, { body_text: [tenVariables().split(', ')] }), []],
    [
      'no examples',
      body('Dear {{1}}.'),
      [missing('0.example.body_text', 'examples for the variables, as [["…", "…"]]')],
    ],
    [
      'no example of a header',
      header('Hi {{1}}'),
      [missing('1.example.header_text', 'examples for the variables, as ["…"]')],
    ],
    [
      'too many examples',
      body('Dear {{1}}.', { body_text: [['a', 'b']] }),
      [wrong('0.example.body_text', 'must have one text for each of the 1 variables, as [["…", "…"]]')],
    ],
    [
      'a number among the examples',
      header('Hi {{1}}', { example: { header_text: ['a', 7] } }),
      [wrong('1.example.header_text', 'must have one text for each of the 1 variables, as ["…"]')],
    ],
  ])('%s', (_, given, said) => {
    expect(saidOf(() => checkComponents(given, positional))).toEqual(said);
  });

  function tenVariables(): string {
    return Array.from({ length: 10 }, (_, at) => `{{${at + 1}}}`).join(', ');
  }
});

describe('texts of a named template', () => {
  const shape = '[{"param_name": "…", "example": "…"}]';
  const place = '0.example.body_text_named_params';
  const exampleOf = (...given: unknown[]): Example => ({ body_text_named_params: given });
  const mia = { param_name: 'name', example: 'Mia' };

  test.each<[string, ComponentInput[], string[]]>([
    [
      'a sign that no name has',
      body('Dear {{name!}}, hello.', exampleOf({ param_name: 'name!', example: 'Mia' })),
      [wrong('0.text', '{{name!}} is not a name of lowercase letters, digits and underscores')],
    ],
    [
      'a reserved name',
      body('Dear {{constructor}}, hello.', exampleOf({ param_name: 'constructor', example: 'Mia' })),
      [wrong('0.text', '{{constructor}} is a reserved name')],
    ],
    [
      'a wrong name before a reserved one, which is not told as well',
      body(
        'Dear {{No}}, {{constructor}} here.',
        exampleOf({ param_name: 'No', example: 'a' }, { param_name: 'constructor', example: 'b' }),
      ),
      [wrong('0.text', '{{No}} is not a name of lowercase letters, digits and underscores')],
    ],
    [
      'a name at the start',
      body('{{name}} is here.', exampleOf(mia)),
      [wrong('0.text', 'must not start with a variable')],
    ],
    ['no example', body('Dear {{name}}.'), [missing(place, `an example for {{name}}, as ${shape}`)]],
    [
      'an example without a text',
      body('Dear {{name}}.', exampleOf({ param_name: 'name' })),
      [missing(place, `an example for {{name}}, as ${shape}`)],
    ],
    [
      'one of two examples that is no object',
      body('Dear {{name}}.', exampleOf('Mia')),
      [missing(place, `an example for {{name}}, as ${shape}`)],
    ],
    [
      'an example too many',
      body('Dear {{name}}.', exampleOf(mia, { param_name: 'age', example: '7' })),
      [wrong(place, `must have one example for each of the 1 variables, as ${shape}`)],
    ],
    [
      'two variables with an example each',
      body('Dear {{name}}, {{age}} already.', exampleOf(mia, { param_name: 'age', example: '7' })),
      [],
    ],
  ])('%s', (_, given, said) => {
    expect(saidOf(() => checkComponents(given, named))).toEqual(said);
  });
});

describe('buttons', () => {
  const kinds =
    'QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, FLOW, VOICE_CALL, CATALOG, MPM, SPM, REQUEST_CONTACT_INFO, APP';

  test.each<[string, Record<string, unknown>[], string[]]>([
    [
      'eleven, of which nothing more is said',
      Array.from({ length: 11 }, () => ({})),
      [wrong('1.buttons', 'a template can have at most 10 buttons')],
    ],
    [
      'two flows',
      [1, 2].map((id) => ({ type: 'FLOW', text: 'Book', flow_id: String(id) })),
      [wrong('1.buttons.1.type', 'a template can have at most 1 FLOW buttons')],
    ],
    [
      'a one-time code',
      [otp],
      [wrong('1.buttons.0.type', 'OTP buttons are allowed in AUTHENTICATION templates only')],
    ],
    [
      'an unknown kind',
      [{ type: 'ROCKET' }],
      [wrong('1.buttons.0.type', `must be ${kinds} or, in AUTHENTICATION templates, OTP`)],
    ],
    [
      'a link between replies',
      [reply, track, reply],
      [wrong('1.buttons.2', 'quick replies and other buttons must not be mixed')],
    ],
    [
      'a reply between links',
      [track, reply, track],
      [wrong('1.buttons.2', 'quick replies and other buttons must not be mixed')],
    ],
    ['no text', [{ type: 'VOICE_CALL' }], [missing('1.buttons.0.text', 'the text of the button')]],
    [
      'a variable in a text',
      [{ ...reply, text: 'Hi {{1}}' }],
      [wrong('1.buttons.0.text', 'the text of a button cannot have variables')],
    ],
    ['no URL', [{ type: 'URL', text: 'Shop' }], [missing('1.buttons.0.url', 'the URL of the button')]],
    [
      'a variable inside a URL',
      [{ ...track, url: 'https://{{1}}.example/' }],
      [wrong('1.buttons.0.url', 'can have only one variable, {{1}}, at its end')],
    ],
    ['a URL without encryption, which upstream takes', [{ ...track, url: 'http://shop.example/' }], []],
    [
      'a URL that is none',
      [{ ...track, url: 'shop' }],
      [wrong('1.buttons.0.url', 'must be a valid absolute URL')],
    ],
    [
      'an example of a URL that is a number',
      [{ ...track, example: [7] }],
      [missing('1.buttons.0.example', 'an example of the URL, as ["…"]')],
    ],
    ['an example beside a number', [{ ...track, example: ['https://a.example', 7] }], []],
    [
      'two examples',
      [{ ...track, example: ['https://a.example', 'https://b.example'] }],
      [missing('1.buttons.0.example', 'an example of the URL, as ["…"]')],
    ],
    [
      'no number to call',
      [{ type: 'PHONE_NUMBER', text: 'Call' }],
      [missing('1.buttons.0.phone_number', 'the number to call')],
    ],
    [
      'no example of a coupon',
      [{ type: 'COPY_CODE' }],
      [missing('1.buttons.0.example', 'an example of the code')],
    ],
    [
      'no flow',
      [{ type: 'FLOW', text: 'Book' }],
      [missing('1.buttons.0.flow_id', 'flow_id, flow_name or flow_json')],
    ],
    ['a flow by its name', [{ type: 'FLOW', text: 'Book', flow_name: 'book' }], []],
    ['a flow by its JSON', [{ type: 'FLOW', text: 'Book', flow_json: '{}' }], []],
  ])('%s', (_, given, said) => {
    expect(saidOf(() => checkComponents(buttons(...given), positional))).toEqual(said);
  });
});

describe('an authentication template', () => {
  const wrongLife = wrong('2.code_expiration_minutes', 'must be 1 to 90');
  const one = 'an AUTHENTICATION template has exactly one button, of type OTP';

  test.each<[string, ComponentInput[], string[]]>([
    [
      'no buttons',
      [{ type: 'BODY' }],
      [
        'value_error body.components: Value error, an AUTHENTICATION template needs a BUTTONS component with one OTP button',
      ],
    ],
    [
      'a text of its own',
      [{ ...plain }, ...code(otp).slice(1)],
      [wrong('0.text', 'the texts of an AUTHENTICATION template are fixed: omit text')],
    ],
    [
      'a header',
      [...code(otp), { type: 'HEADER' }],
      [wrong('2.type', 'an AUTHENTICATION template has no HEADER')],
    ],
    ['a life of 1 minute', lifeOf(1), []],
    ['a life of 90 minutes', lifeOf(90), []],
    ['a life of no minutes', lifeOf(0), [wrongLife]],
    ['a life of 91 minutes', lifeOf(91), [wrongLife]],
    ['no life', lifeOf(null), [wrongLife]],
    ['no button', code(), [wrong('1.buttons', one)]],
    [
      'a component of buttons without any',
      [{ type: 'BODY' }, { type: 'BUTTONS' }],
      [wrong('1.buttons', one)],
    ],
    ['another button', code(reply), [wrong('1.buttons', one)]],
    [
      'no kind of code',
      code({ type: 'OTP' }),
      [wrong('1.buttons.0.otp_type', 'must be COPY_CODE, ONE_TAP, ZERO_TAP')],
    ],
    ['no text', code({ type: 'OTP', otp_type: 'COPY_CODE' }), []],
    ['an empty text', code({ ...otp, text: '' }), [missing('1.buttons.0.text', 'the text of the button')]],
    ...['ONE_TAP', 'ZERO_TAP'].flatMap((kind): [string, ComponentInput[], string[]][] => [
      [
        `${kind} without apps`,
        code({ ...otp, otp_type: kind }),
        [missing('1.buttons.0.supported_apps', 'the apps that take the code')],
      ],
      [`${kind} with its app`, code({ ...otp, otp_type: kind, supported_apps: [{}] }), []],
    ]),
  ])('%s', (_, given, said) => {
    expect(saidOf(() => checkComponents(given, authentication))).toEqual(said);
  });

  test('is sent upstream without omitted members, and without a text', () => {
    const [, given] = code({ type: 'otp', otp_type: 'copy_code' });
    const advised: ComponentInput = { type: 'BODY', add_security_recommendation: null };
    expect(checkComponents([advised, ...(given === undefined ? [] : [given])], authentication)).toStrictEqual(
      [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
    );
  });
});
