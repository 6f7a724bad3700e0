import type { SendAnswer } from './types.ts';
import {
  count,
  flag,
  givenId,
  givenList,
  givenTimestamp,
  maxListItems,
  mediaUrl,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  shown,
  shownAs,
  string,
  text,
  withExample,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { hasNames, writeRecipientNames } from '../../rules/messages/recipient-names.ts';
import { sendTags } from '../../rules/messages/content.ts';
import { mediaTypes } from '../../rules/messages/message.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';

/** [spec: Errors 3] No length bounds: an invalid recipient must be answered with 400 `invalid_recipient`, not with 422. */
export const givenRecipient = shown(text(), {
  description: kindNotes.givenRecipient,
});
const textLimits = channelTypes.map((type) => ({ type, most: kindOf(type).textLimit }));
export const someId = '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f';

/** What any send but a template may add. The store checks it: a violation is 400 with a code. */
export const quoting = {
  reply_to: {
    ...orNull(text({ maxLength: 64 })),
    description:
      '`message_id` of a message of this conversation, sent or received, that this one answers: it is shown with a quote. Known as long as the delivery log is kept, a received one if its event went to a webhook or an endpoint; an unknown one is 400 `unknown_message`',
  },
};

/** What any send may add on channels that have tags. The kind checks them: a violation is 400 with a code. */
export const extras = {
  ...quoting,
  tag: {
    ...orNull(oneOfWords(sendTags)),
    description: kindNotes.tag,
  },
};

/** [spec: Sending messages] The channel kind checks text length and recipient: a violation is 400 with a code, not 422. */
export const sendMessageRequest = requestBody(
  withExample(
    requestObject(
      'SendMessageRequest',
      {
        channel_id: givenId,
        recipient: givenRecipient,
        text: shown(text({ minLength: 1 }), {
          description: `At most ${textLimits.map(({ type, most }) => `${most} characters on ${type}`).join(', ')}`,
        }),
      },
      {
        preview_url: {
          ...orNull(flag),
          description: kindNotes.previewUrl,
        },
        ...extras,
      },
    ),
    { channel_id: someId, recipient: '4915900000777', text: 'Your order is ready.' },
  ),
);

/** [spec: Sending messages, Limits] Lengths in Unicode code points. */
const mediaRequest = withExample(
  requestObject(
    'SendMediaRequest',
    {
      channel_id: givenId,
      recipient: givenRecipient,
      media_type: oneOfWords(mediaTypes),
    },
    {
      media_url: {
        ...orNull(mediaUrl),
        maxLength: 2048,
        description:
          'HTTPS URL from which the upstream platform fetches the file; required unless `media_id` is given. It must answer 200 with a `Content-Type` that matches `media_type`. The `download_url` of an event is refused: it needs an API key',
      },
      media_id: {
        ...orNull(text({ maxLength: 64 })),
        description:
          'In place of `media_url`: a file that was uploaded for this channel with the same `media_type`. Another is 404, one that has expired 410',
      },
      caption: {
        ...orNull(text({ maxLength: 1024 })),
        description: kindNotes.caption,
      },
      filename: {
        ...orNull(text({ maxLength: 255 })),
        description: kindNotes.filename,
      },
      voice: { ...orNull(flag), description: kindNotes.voice },
      ...extras,
    },
  ),
  {
    channel_id: someId,
    recipient: '4915900000777',
    media_type: 'document',
    media_url: 'https://files.example.com/invoice-77.pdf',
    caption: 'Your invoice',
    filename: 'invoice-77.pdf',
  },
);

/** Without `media_id`, the body is what it was before that was added. */
export const sendMediaRequest = requestBody(
  shownAs(
    {
      ...mediaRequest,
      if: { type: 'object', properties: { media_id: { type: 'string' } }, required: ['media_id'] },
      else: { type: 'object', properties: { media_url: { type: 'string' } }, required: ['media_url'] },
    },
    mediaRequest,
  ),
);

/** Values for a component's variables: a list if positional, an object if named. [spec: Sending messages, `variables` shape] */
const givenTexts: JsonSchema<string[] | Record<string, string> | null> = shownAs(
  { type: ['array', 'object', 'null'], items: text(), maxItems: maxListItems, additionalProperties: text() },
  {
    anyOf: [givenList(text()), { type: 'object', additionalProperties: text() }, { type: 'null' }],
    description:
      'Values for the variables: a list in the order of the variables (positional templates) or an object from variable name to value (named templates)',
  },
);

const section = requestObject('TemplateProductSection', { title: text(), product_ids: givenList(text()) });

const buttonValue = requestObject(
  'TemplateButtonValue',
  { index: count, value: text() },
  {
    sections: {
      ...orNull(givenList(section)),
      description: 'MPM button only: the products that it shows, in 1 to 10 sections, at most 30 in all',
    },
  },
);

const cardVariables = {
  header: givenTexts,
  body: givenTexts,
  buttons: {
    ...orNull(givenList(buttonValue)),
    description:
      'One value per button with a variable; `index` is the position of the button, from 0. Of a CATALOG or MPM button it is the id of the product whose picture is shown',
  },
};

const variables = requestObject(
  'TemplateVariables',
  {},
  {
    ...cardVariables,
    cards: {
      ...orNull(givenList(requestObject('TemplateCardVariables', {}, cardVariables))),
      description: 'Carousel only: the values of each card, in the order of the cards',
    },
    offer_expires_at: {
      ...orNull(givenTimestamp),
      description: 'Limited-time offer only: when the offer ends',
    },
  },
);

/** [spec: Sending messages] Whether the variables fit is checked against the stored template, not by this schema. */
export const sendTemplateRequest = requestBody(
  withExample(
    requestObject(
      'SendTemplateRequest',
      {
        channel_id: givenId,
        recipient: givenRecipient,
        template_name: {
          ...text({ maxLength: 512 }),
          description: '`name` of the template; only `APPROVED` templates can be sent',
        },
        language: {
          ...text({ maxLength: 20 }),
          description: '`language` of the template version to send, e.g. `en_US`',
        },
      },
      {
        variables: {
          ...orNull(variables),
          description: 'Values for all variables of the template; omit it if the template has none',
        },
      },
    ),
    {
      channel_id: someId,
      recipient: '4915900000777',
      template_name: 'order_ready',
      language: 'en_US',
      variables: {
        header: ['Harbour Bakery'],
        body: ['Mia', 'A-1007'],
        buttons: [{ index: 0, value: 'A-1007' }],
      },
    },
  ),
);

/** [spec: Send responses] */
const sendResponse = (title: string): JsonSchema =>
  responseObject(
    title,
    {
      success: { ...flag, description: 'False if the send failed' },
      message_id: {
        ...orNull(ourId),
        description: 'Id of the message; all later status events carry it',
      },
      error: { ...orNull(string), description: 'Why the send failed; null unless `status` is `failed`' },
      status: {
        ...orNull(openWords(['sent', 'queued', 'failed'])),
        description:
          '`sent`: upstream accepted the message; `queued`: the service finishes the send in the background, do not resend; `failed`: see `error`',
      },
    },
    {
      error_code: {
        ...orNull(count),
        description: 'Upstream error code, unchanged; present only if the failure came from upstream',
      },
      recipient_user_id: {
        ...string,
        description: 'Business-scoped id of the recipient; present if upstream names it',
      },
      wa_id: {
        ...string,
        description: 'Number of the recipient at upstream; present if it is not the one that was asked for',
      },
    },
  );

export const sendMessageResponse = sendResponse('SendMessageResponse');

/** [operator-interface §4: SendTemplateResponse] */
export const sendTemplateResponse = sendResponse('SendTemplateResponse');

/**
 * [spec: Send responses; Send error codes] `error_code` is present only when the failure came from upstream. Written out by field, because
 * every send builds one.
 */
export function sendAnswer(answer: SendAnswer) {
  if (answer.status !== 'failed') {
    const { messageId, status } = answer;
    const plain = { success: true, message_id: messageId, error: null, status };
    return status === 'sent' && hasNames(answer) ? { ...plain, ...writeRecipientNames(answer) } : plain;
  }
  const code = answer.errorCode === null ? {} : { error_code: answer.errorCode };
  return {
    success: false,
    message_id: answer.messageId,
    error: answer.error,
    ...code,
    status: answer.status,
  };
}
