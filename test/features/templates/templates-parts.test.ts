/** What is read from a template of upstream. [upstream §6.2] */
import { describe, expect, test } from '@jest/globals';
import { fillTemplate } from '../../../src/features/templates/rules/fill.ts';
import { readParts } from '../../../src/rules/templates/parts.ts';
import { variablesSummary } from '../../../src/rules/templates/variables.ts';
import type { Template } from '../../../src/rules/templates/template.ts';
import { saidOf, templateOf } from '../../rules/samples.ts';

function withHeader(header: Record<string, unknown>, fields: Partial<Template> = {}): Template {
  const components = [
    { type: 'HEADER', ...header },
    { type: 'BODY', text: 'Here it is.' },
  ];
  return templateOf({ components, ...fields });
}

function withButton(button: Record<string, unknown>, category = 'UTILITY'): Template {
  const components = [
    { type: 'BODY', text: 'Here it is.' },
    { type: 'BUTTONS', buttons: [button] },
  ];
  return templateOf({ category, components });
}

describe('a header', () => {
  test('without a format is a text', () => {
    const header = { text: 'Hi from {{1}}', example: { header_text: ['Bakery'] } };
    expect(readParts(withHeader(header)).header).toEqual({
      format: 'TEXT',
      variables: [{ position: 1, name: null, example: 'Bakery' }],
    });
  });

  test("that is a file needs one value, with upstream's handle as the example", () => {
    const header = { format: 'image', example: { header_handle: ['https://files.example/menu.png'] } };
    expect(readParts(withHeader(header)).header).toEqual({
      format: 'IMAGE',
      variables: [{ position: 1, name: 'image', example: 'https://files.example/menu.png' }],
    });
  });

  test.each(['positional', 'named'] as const)(
    'that is a location needs four values, %s',
    (parameterFormat) => {
      const place = withHeader({ format: 'LOCATION' }, { parameterFormat });
      const { totalCount, header } = variablesSummary(place);
      expect([totalCount, header]).toEqual([
        4,
        ['latitude', 'longitude', 'name', 'address'].map((name, at) => ({
          position: at + 1,
          name,
          example: null,
        })),
      ]);
      expect(fillTemplate(place, { header: header?.map(() => '1') ?? [] }).header).toHaveLength(1);
    },
  );

  test('of an unknown type needs no value', () => {
    expect(variablesSummary(withHeader({ format: 'HOLOGRAM' }))).toMatchObject({
      totalCount: 0,
      header: null,
    });
    expect(saidOf(() => fillTemplate(withHeader({ format: 'HOLOGRAM' }), { header: ['x'] }))).toEqual([
      'value_error body.variables.header.0: Value error, the template has no variable {{1}} here; it has none',
    ]);
  });
});

describe('variables', () => {
  test('are the same with spaces inside their braces', () => {
    const named = withHeader({ text: 'Hi from {{shop}}, {{ shop }} it is' }, { parameterFormat: 'named' });
    expect(readParts(named).header?.variables).toEqual([{ position: 1, name: 'shop', example: null }]);
  });

  test("have no example if upstream's list of them is invalid", () => {
    const example = { header_text_named_params: ['x', null, { param_name: 'shop', example: 'Bakery' }] };
    const named = withHeader({ text: 'Hi from {{shop}} in {{town}}', example }, { parameterFormat: 'named' });
    expect(readParts(named).header?.variables).toEqual([
      { position: 1, name: 'shop', example: 'Bakery' },
      { position: 2, name: 'town', example: null },
    ]);
  });
});

describe('an authentication template', () => {
  const fields = { category: 'AUTHENTICATION' };

  test('has a code with upstream’s example of it', () => {
    const components = [{ type: 'BODY', example: { body_text: [['123456']] } }];
    expect(readParts(templateOf({ ...fields, components })).body).toEqual([
      { position: 1, name: null, example: '123456' },
    ]);
  });

  test('has a code if upstream lists no body', () => {
    expect(readParts(templateOf({ ...fields, components: [] })).body).toEqual([
      { position: 1, name: null, example: null },
    ]);
  });

  test('has a positional code even if upstream says that it has names', () => {
    const named = templateOf({ ...fields, parameterFormat: 'named', components: [{ type: 'BODY' }] });
    expect(fillTemplate(named, { body: ['123456'] }).body).toEqual([
      { type: 'text', name: null, text: '123456' },
    ]);
  });
});

describe('buttons', () => {
  test.each([
    ['OTP', 'AUTHENTICATION', { fills: 'url', isNeeded: true, isCode: true }],
    ['OTP', 'UTILITY', { fills: 'url', isNeeded: true, isCode: false }],
    ['QUICK_REPLY', 'AUTHENTICATION', { fills: 'quick_reply', isNeeded: false, isCode: false }],
    ['COPY_CODE', 'MARKETING', { fills: 'copy_code', isNeeded: true, isCode: false }],
    ['CATALOG', 'MARKETING', { fills: 'catalog', isNeeded: false, isCode: false, defaultValue: '' }],
    ['MPM', 'MARKETING', { fills: 'mpm', isNeeded: true, isCode: false }],
  ])('%s of a template for %s', (type, category, said) => {
    expect(readParts(withButton({ type }, category)).buttons).toEqual([
      { index: 0, type, example: null, ...said },
    ]);
  });

  test.each(['PHONE_NUMBER', 'SPM', 'ROCKET'])('%s needs no value', (type) => {
    expect(readParts(withButton({ type })).buttons).toEqual([]);
  });

  test('have their example as text or as a list, without the URL before it: what a send gives', () => {
    const url = 'https://shop.example/{{1}}';
    const examples = ['https://shop.example/a', ['https://shop.example/a']].map(
      (example) => readParts(withButton({ type: 'URL', url, example })).buttons[0]?.example,
    );
    expect(examples).toEqual(['a', 'a']);
    const elsewhere = { type: 'URL', url, example: 'A-1007' };
    expect(readParts(withButton(elsewhere)).buttons[0]?.example).toBe('A-1007');
  });
});
