/** The sends; their common path is in `send-through.ts`. [spec: Sending messages] */
import { kindOf } from '../../rules/channels/kinds.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { MediaContent, TemplateContent } from '../../rules/messages/content.ts';
import type { MediaType } from '../../rules/messages/message.ts';
import type { ContactsContent, LocationContent } from '../../rules/messages/cards.ts';
import { checkInteractive } from '../../rules/messages/interactive.ts';
import type { InteractiveContent } from '../../rules/messages/interactive.ts';
import { checkTextLength } from '../../rules/messages/text.ts';
import type { UnfilledTemplate } from '../../rules/templates/filled.ts';
import { Fault, fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { findUpload } from '../media/index.ts';
import { requireOfPerson } from './referred.ts';
import { sendThrough } from './send-through.ts';
import type { SendAnswer, SendCommand } from './types.ts';
import { fillForSend, isLookUpFailure } from '../templates/index.ts';

interface SendTextCommand extends SendCommand {
  text: string;
  /** Whether upstream shows a preview of the first link; pages always do. */
  showsPreview?: boolean;
}

/** Sends a text. Throws 400 `text_too_long` and the faults of `sendThrough`. */
export function sendText(world: World, caller: Caller, command: SendTextCommand): Promise<SendAnswer> {
  const { text, showsPreview } = command;
  return sendThrough(world, caller, command, {
    type: 'text',
    body: showsPreview === true ? [text, { showsPreview }] : [text],
    contentFor({ channelType }) {
      const checked = checkTextLength(text, kindOf(channelType));
      return showsPreview === true
        ? { type: 'text', text: checked, showsPreview }
        : { type: 'text', text: checked };
    },
  });
}

/** `url`: upstream fetches it. `mediaId`: of an upload. */
export type MediaSource = { url: string } | { mediaId: string };

interface SendMediaCommand extends SendCommand, ShownFile {
  source: MediaSource;
}

interface ShownFile {
  mediaType: MediaType;
  /** Shown as a voice message; audio only. */
  isVoice?: boolean;
  caption: string | null;
  filename: string | null;
}

/**
 * Sends a file that upstream fetches, or has; we neither read nor store it. Throws the faults of `findUpload`, 422 for another media type than
 * that of the upload, and the faults of `sendThrough`.
 */
export function sendMedia(world: World, caller: Caller, command: SendMediaCommand): Promise<SendAnswer> {
  const { mediaType, source, caption, filename, isVoice } = command;
  return sendThrough(world, caller, command, {
    type: 'media',
    body: [
      mediaType,
      'url' in source ? source.url : source,
      caption,
      filename,
      ...(isVoice === true ? [{ isVoice }] : []),
    ],
    contentFor: (channel) =>
      'url' in source
        ? mediaContent(channel, command, source)
        : uploadedContent(world, channel, command, source),
  });
}

function mediaContent(
  { channelType }: Channel,
  { mediaType, caption, filename, isVoice }: ShownFile,
  source: { url: string } | { uploadedId: string },
): MediaContent {
  const shown: MediaContent =
    'url' in source
      ? { type: 'media', mediaType, url: source.url, caption, filename }
      : { type: 'media', mediaType, uploadedId: source.uploadedId, caption, filename };
  if (isVoice === true && mediaType === 'audio') shown.isVoice = isVoice;
  return kindOf(channelType).fitMedia(shown);
}

/** A document without a name of its own has that of the upload. */
async function uploadedContent(
  world: World,
  channel: Channel,
  file: ShownFile,
  { mediaId }: { mediaId: string },
): Promise<MediaContent> {
  const { mediaType } = file;
  const upload = await findUpload(world, channel, mediaId);
  if (upload.mediaType !== mediaType)
    throw fieldFault(['body', 'media_type'], `media_id was uploaded as ${upload.mediaType}`);
  const { uploadedId } = upload;
  return mediaContent(channel, { ...file, filename: file.filename ?? upload.filename }, { uploadedId });
}

interface SendInteractiveCommand extends SendCommand {
  content: InteractiveContent;
}

/** Sends a text with something to press. Throws the faults of `checkInteractive` and of `sendThrough`. */
export function sendInteractive(
  world: World,
  caller: Caller,
  command: SendInteractiveCommand,
): Promise<SendAnswer> {
  const { content } = command;
  return sendThrough(world, caller, command, {
    type: 'interactive',
    body: ['interactive', content],
    contentFor: ({ channelType }) => checkInteractive(content, kindOf(channelType)),
  });
}

interface SendCardCommand extends SendCommand {
  content: LocationContent | ContactsContent;
}

/** Sends a place or contacts; chatapp only. Throws the faults of `sendThrough`. */
export function sendCard(world: World, caller: Caller, command: SendCardCommand): Promise<SendAnswer> {
  const { content } = command;
  return sendThrough(world, caller, command, {
    type: content.type,
    body: [content],
    contentFor: () => content,
  });
}

interface SendReactionCommand extends SendCommand {
  /** Our id. */
  messageId: string;
  /** Empty: takes it back. */
  emoji: string;
}

/** Reacts to a message; chatapp only. Throws 400 `unknown_message` and the faults of `sendThrough`. */
export function sendReaction(
  world: World,
  caller: Caller,
  command: SendReactionCommand,
): Promise<SendAnswer> {
  const { messageId: id, emoji } = command;
  return sendThrough(world, caller, command, {
    type: 'reaction',
    body: ['reaction', id, emoji],
    async contentFor(channel, recipient) {
      const to = await requireOfPerson(world, channel, { field: 'message_id', id, recipient });
      return { type: 'reaction', to, emoji };
    },
  });
}

interface SendTemplateCommand extends SendCommand, UnfilledTemplate {}

/**
 * Sends an approved template of the channel's business account, as this account sees it. If the template must be looked up upstream and
 * the look-up fails, the owner gets the unfilled template, and the look-up's outcome becomes the send's. Throws 400
 * `template_not_approved`, `invalid_recipient` of a code to a business-scoped id, 404 `not_found`, 422 `validation`, and the faults of `sendThrough`. [operator-interface §4; upstream §3.2]
 */
export function sendTemplate(
  world: World,
  caller: Caller,
  command: SendTemplateCommand,
): Promise<SendAnswer> {
  const { name, language, variables, recipient, requestId } = command;
  return sendThrough(world, caller, command, {
    type: 'template',
    body: [name, language, variables],
    contentFor: async (channel) => {
      try {
        return asContent(
          await fillForSend(world, channel, { name, language, variables }, { requestId, recipient }),
        );
      } catch (thrown) {
        if (!(thrown instanceof Fault && isLookUpFailure(thrown))) throw thrown;
        return asContent({ name, language, variables: variables ?? null });
      }
    },
  });
}

function asContent(template: TemplateContent['template']): TemplateContent {
  return { type: 'template', template };
}
