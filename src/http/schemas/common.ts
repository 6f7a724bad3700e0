import { count, listOf, oneOfWords, openWords, responseObject, string } from '../validation/json-schema.ts';
import { codesShown } from '../../kernel/faults.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { recipientReasons } from '../../rules/channels/recipient.ts';
import { scopes } from '../../rules/scopes.ts';
import { sources, tiers } from '../../rules/licences/subscription.ts';

export const channelType = { title: 'ChannelType', ...oneOfWords(channelTypes) };
/** The channel type in an answer: an open set, so any other string is valid too. */
export const channelTypeWord = { title: 'AnyChannelType', anyOf: [channelType, string] };
export const tierWord = openWords(tiers);
export const sourceWord = openWords(sources);
export const subscriptionStatuses = ['active', 'expired', 'canceled'] as const;

/** [spec: Errors 1] */
export const errorBody = responseObject('Error', { detail: { ...string, description: 'What went wrong' } });

/** [spec: Errors 3] */
export const codedErrorBody = {
  title: 'CodedError',
  type: 'object',
  properties: {
    detail: {
      type: 'object',
      properties: {
        code: {
          ...string,
          description: 'Machine-readable reason; more can be added',
          examples: codesShown(400),
        },
        message: { ...string, description: 'The reason as a sentence' },
        reason: {
          ...string,
          description: `With \`invalid_recipient\` what is wrong: ${recipientReasons.join(', ')}; with \`unknown_message\` and \`unsupported_content\` why, in one word`,
        },
        hint: { ...string, description: 'With `invalid_recipient`: what to send instead' },
        field: {
          ...string,
          description: 'With `unknown_message` and `content_too_long`: the field of the request',
        },
        what: { ...string, description: 'With `unsupported_content`: what cannot be sent' },
        limit: {
          ...count,
          description:
            'With `text_too_long` and `content_too_long`: the most characters, items, or bytes of a file allowed',
        },
        length: { ...count, description: 'With `text_too_long` and `content_too_long`: how many were given' },
        channel_type: channelTypeWord,
      },
      required: ['code'],
      additionalProperties: true,
    },
  },
  required: ['detail'],
};

/** An addition to the specification: the key lacks a scope. */
export const scopeErrorBody = responseObject('ScopeError', {
  detail: responseObject('MissingScope', {
    code: { ...string, description: 'Always `scope_missing`', examples: codesShown(403) },
    message: { ...string, description: 'The reason as a sentence' },
    scope: { ...openWords(scopes), description: 'The missing scope' },
    any_of: {
      ...listOf(openWords(scopes)),
      description: 'Every scope that would do; a key needs one of them',
    },
  }),
});

/** [spec: Endpoints] */
export const validationErrorBody = responseObject('HTTPValidationError', {
  detail: listOf(
    responseObject('ValidationError', {
      loc: {
        ...listOf({ anyOf: [string, count] }),
        description:
          'Where the invalid value is: `body` or `query`, then field names and list positions from 0',
      },
      msg: { ...string, description: 'What is wrong with the value' },
      type: { ...string, description: 'Machine-readable kind of error, e.g. `missing` or `string_too_long`' },
    }),
  ),
});

/** Present only if the request has `limit` or `cursor`. [operator-interface §4] */
export const nextCursor = {
  next_cursor: {
    type: ['string', 'null'],
    description: 'Value of `cursor` for the next page; null: this is the last page',
  },
};
