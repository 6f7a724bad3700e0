/** The languages that a template can have, as the platform lists them: only to say what was meant. The platform itself decides. */

const listed =
  'af sq ar ar_AE ar_EG ar_LB ar_MA ar_QA az be_BY bn bn_IN bg ca zh_CN zh_HK zh_TW hr cs da prs_AF nl nl_BE en en_AE en_AU en_CA en_GB en_GH ' +
  'en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_US en_ZA et fil fi fr fr_BE fr_CA fr_CH fr_CI fr_MA ka de de_AT de_CH el gu ha he hi hu ' +
  'id ga it ja kn kk rw_RW ko ky_KG lo lv lt mk ms ml mr nb ps_AF fa pl pt_BR pt_PT pa ro ru sr si_LK sk sl es es_AR es_CL es_CO es_CR es_DO ' +
  'es_EC es_ES es_HN es_MX es_PA es_PE es_UY sw sv ta te th tr uk ur uz vi zu';
const languages = listed.split(' ');
const known = new Set(languages);

/** Codes of languages that have another name there, and of countries that are taken for languages. */
const meant: Readonly<Record<string, string>> = {
  cn: 'zh',
  cz: 'cs',
  dk: 'da',
  gr: 'el',
  in: 'id',
  iw: 'he',
  jp: 'ja',
  kr: 'ko',
  nn: 'nb',
  no: 'nb',
  se: 'sv',
  tl: 'fil',
  ua: 'uk',
};

/** Listed languages that may be meant, the likeliest first: the same code written otherwise, then the others of that language. */
export function nearLanguages(given: string): string[] {
  const plain = given.toLowerCase().replace('-', '_');
  const [language = ''] = plain.split('_');
  const base = meant[language] ?? language;
  const near = languages.filter((each) => isOf(each, base));
  return near.toSorted((a, b) => Number(b.toLowerCase() === plain) - Number(a.toLowerCase() === plain));
}

function isOf(listedOne: string, language: string): boolean {
  return listedOne === language || listedOne.startsWith(`${language}_`);
}

/** Whether the platform can have such a language; it may have more than it lists here. */
export function isLanguageCode(given: string): boolean {
  return /^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$/.test(given);
}

/** What may be wrong with the language of a template that is refused; null: the platform lists that language. */
export function languageProblem(given: string): string | null {
  if (known.has(given)) return null;
  const near = nearLanguages(given);
  const said = `The platform has no language ${given} for templates`;
  return near.length === 0 ? `${said}; a code is like en or en_US` : `${said}; it has ${near.join(', ')}`;
}
