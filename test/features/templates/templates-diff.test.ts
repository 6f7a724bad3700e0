/** The differences between a list of upstream's templates and the stored ones. */
import { describe, expect, test } from '@jest/globals';
import { diffTemplates, makeTemplateId } from '../../../src/features/templates/rules/diff.ts';
import type { Template } from '../../../src/rules/templates/template.ts';
import { newYear, templateOf } from '../../rules/samples.ts';

const owner = { accountId: 'account-1', businessAccountId: '311200000000001' };
const known = templateOf({ syncedAt: newYear, createdAt: newYear });
const later = newYear + 60_000;

function listed(fields: Partial<Template> = {}) {
  const { id: _, accountId: __, businessAccountId: ___, syncedAt: ____, createdAt: _____, ...told } = known;
  return { ...told, ...fields };
}

describe('a list', () => {
  test('with the stored values has no difference', () => {
    expect(diffTemplates(owner, [known], [listed()], later)).toEqual({ changed: [], goneIds: [] });
  });

  test.each<Partial<Template>>([
    { name: 'order_done' },
    { language: 'de' },
    { category: 'MARKETING' },
    { status: 'PAUSED' },
    { parameterFormat: 'named' },
    { quality: 'RED' },
    { rejectedReason: 'SPAM' },
    { components: [{ type: 'BODY', text: 'Ready.' }] },
  ])('with %j changes the stored template, which keeps its id and creation time', (fields) => {
    expect(diffTemplates(owner, [known], [listed(fields)], later)).toEqual({
      changed: [{ ...known, ...fields, syncedAt: later }],
      goneIds: [],
    });
  });

  test("with a new one adds it, with an id that every node derives from upstream's", () => {
    const told = listed({ upstreamId: '900000000000092' });
    expect(diffTemplates(owner, [known], [listed(), told], later)).toEqual({
      changed: [
        {
          ...told,
          ...owner,
          id: makeTemplateId(owner, '900000000000092'),
          syncedAt: later,
          createdAt: later,
        },
      ],
      goneIds: [],
    });
  });

  test('without a stored one removes it', () => {
    const other = templateOf({ id: 'template-2', upstreamId: '900000000000092' });
    expect(diffTemplates(owner, [known, other], [listed()], later)).toEqual({
      changed: [],
      goneIds: ['template-2'],
    });
  });

  test.each(['DELETED', 'PENDING_DELETION'])('with the status %s removes it', (status) => {
    expect(diffTemplates(owner, [known], [listed({ status })], later)).toEqual({
      changed: [],
      goneIds: ['template-1'],
    });
  });
});

test('the id of a template is another for another account, business account and template', () => {
  const ids = [
    makeTemplateId(owner, '1'),
    makeTemplateId(owner, '2'),
    makeTemplateId({ ...owner, accountId: 'account-2' }, '1'),
    makeTemplateId({ ...owner, businessAccountId: '2' }, '1'),
  ];
  expect(new Set(ids).size).toBe(4);
  // Existing stores have templates under this id.
  expect(ids[0]).toBe('78e8fb21-fea3-80a9-88e0-c65dc070c45c');
});
