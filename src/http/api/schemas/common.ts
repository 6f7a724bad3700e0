import {
  count,
  listOf,
  oneOfWords,
  openWords,
  responseObject,
  string,
} from '../../validation/json-schema.ts';
import { channelTypes } from '../../../domain/vocabulary.ts';
import { recipientReasons } from '../../../domain/channels/recipient.ts';
import { sources, tiers } from '../../../domain/licences/subscription.ts';

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
        code: string,
        message: string,
        reason: { ...string, description: `Of invalid_recipient: ${recipientReasons.join(', ')}` },
        hint: string,
        limit: count,
        length: count,
        channel_type: channelTypeWord,
      },
      required: ['code'],
      additionalProperties: true,
    },
  },
  required: ['detail'],
};

/** [spec: Endpoints] */
export const validationErrorBody = responseObject('HTTPValidationError', {
  detail: listOf(
    responseObject('ValidationError', {
      loc: listOf({ anyOf: [string, count] }),
      msg: string,
      type: string,
    }),
  ),
});

/** Present only if the request has `limit` or `cursor`. [operator-interface §4] */
export const nextCursor = {
  next_cursor: { type: ['string', 'null'], description: 'Pass as `cursor` for the next page; null: no more' },
};
