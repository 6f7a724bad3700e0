/** A language that the platform does not have for templates. [spec: TemplateCreateRequest] */
import { expect, test } from '@jest/globals';
import { languageProblem, nearLanguages } from '../../../src/features/templates/rules/languages.ts';

test.each([
  ['en-us', ['en_US', 'en', 'en_AE']],
  ['EN', ['en', 'en_AE', 'en_AU']],
  ['pt', ['pt_BR', 'pt_PT']],
  ['de_DE', ['de', 'de_AT', 'de_CH']],
  ['no', ['nb']],
  ['jp', ['ja']],
  ['zh_Hans', ['zh_CN', 'zh_HK', 'zh_TW']],
  ['xx', []],
])('%s: the likeliest are %j', (given, likeliest) => {
  expect(nearLanguages(given).slice(0, 3)).toEqual(likeliest);
});

test('a listed language is no problem; of another, what the platform has is said', () => {
  expect(['en', 'prs_AF', 'rw_RW', 'zu'].map(languageProblem)).toEqual([null, null, null, null]);
  expect(languageProblem('pt')).toBe('The platform has no language pt for templates; it has pt_BR, pt_PT');
  expect(languageProblem('')).toContain('a code is like en or en_US');
});
