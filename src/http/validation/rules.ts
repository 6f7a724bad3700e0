import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaValidateFunction } from 'ajv/dist/types/index.js';
import { isEmail, notAnEmail } from '../../rules/email.ts';
import { textProblem } from '../../rules/messages/text.ts';
import { mediaUrlProblem } from '../../rules/messages/media-url.ts';
import { webhookUrlProblem } from '../../rules/webhooks/url.ts';
import type { WebhookUrlRules } from '../../rules/webhooks/url.ts';
import type { RuleName } from './json-schema.ts';
import { notATimestamp, parseTimestamp } from './timestamp.ts';

export interface RuleSettings extends WebhookUrlRules {
  ownUrls: readonly string[];
  ownHosts: readonly string[];
}

type Rule = (value: string, field: string) => string | null;

/** ajv with our rules. It coerces nothing, fills in no default, and builds no expression from input. */
export function makeAjv(settings: RuleSettings): Ajv2020 {
  // A test checks our schemas against the meta-schema, so that a start need not.
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    meta: false,
    validateSchema: false,
    allowUnionTypes: true,
    validateFormats: false,
  });
  ajv.addKeyword('x-shown');
  ajv.addKeyword('x-shown-as');
  ajv.addKeyword({
    keyword: 'x-rule',
    type: 'string',
    schemaType: 'string',
    errors: true,
    validate: ruleKeyword(makeRules(settings)),
  });
  return ajv;
}

/** Each rule returns the problem as a sentence without a capital, or null. */
function makeRules(settings: RuleSettings): Record<RuleName, Rule> {
  const mediaRules = { allowInsecure: settings.allowInsecure, ownHosts: settings.ownHosts };
  return {
    text: textProblem,
    timestamp: (value) => (parseTimestamp(value) === null ? notATimestamp : null),
    email: (value) => textProblem(value) ?? (isEmail(value) ? null : notAnEmail),
    'webhook-url': (value, field) => textProblem(value) ?? webhookUrlProblem(value, settings, field),
    'media-url': (value) => textProblem(value) ?? mediaUrlProblem(value, mediaRules),
  };
}

function ruleKeyword(rules: Record<RuleName, Rule>): SchemaValidateFunction {
  const check: SchemaValidateFunction = (name: RuleName, value: string, _schema, place) => {
    const problem = rules[name](value, String(place?.parentDataProperty));
    check.errors = problem === null ? [] : [{ keyword: 'x-rule', message: problem, params: {} }];
    return problem === null;
  };
  return check;
}
