import { toIso } from '../../kernel/clock.ts';
import { mediaTypes } from '../../rules/messages/message.ts';
import type { ApiRoute } from '../../http/route.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { requireId } from '../../http/validation/ids.ts';
import {
  count,
  givenId,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  requestObject,
  string,
  text,
  timestamp,
} from '../../http/validation/json-schema.ts';
import { fileForm } from '../../http/validation/request-body.ts';
import { answer } from '../../http/validation/response-body.ts';
import { apiRoute } from '../route.ts';
import type { World } from '../world.ts';
import type { Upload } from './entity.ts';
import { toUpload } from './arriving.ts';
import { uploadMedia } from './upload.ts';

const uploadRequest = fileForm(
  requestObject(
    'UploadMediaRequest',
    {
      channel_id: givenId,
      media_type: { ...oneOfWords(mediaTypes), description: kindNotes.uploadLimits },
    },
    {
      mime_type: {
        ...text({ maxLength: 127 }),
        description: 'Type of the file, if the `Content-Type` of its part does not say it: `image/jpeg`',
      },
    },
  ),
);

const uploadOut = answer<Upload>('UploadedMedia', {
  media_id: [{ ...ourId, description: '`media_id` of sends on this channel' }, 'id'],
  channel_id: [ourId, 'channelId'],
  media_type: [openWords(mediaTypes), 'mediaType'],
  mime_type: [string, 'mimeType'],
  file_size: [count, 'fileSize'],
  filename: [orNull(string), 'filename'],
  expires_at: [timestamp, ({ expiresAt }) => toIso(expiresAt)],
});

/** [spec: Additions] */
export const uploadRoutes: readonly ApiRoute<World>[] = [
  apiRoute({
    post: '/api/v1/media',
    name: 'uploadMedia',
    needs: ['messages:send'],
    tag: 'Media',
    summary: 'Uploads a file to send; requires the pro tier',
    description:
      'For files without a public URL: `media_id` of the answer takes the place of `media_url` in sends on this channel, as often as you like, until `expires_at`. The file passes through to the upstream platform while it arrives: the service keeps none of its bytes. The fields come before the file, and the request needs a `Content-Length`.',
    errors: [400, 402, 404, 502],
    body: uploadRequest,
    success: { status: 201, schema: uploadOut.schema },
    async answer({ caller, body }, { world }) {
      const { media_type: mediaType, mime_type: mimeType } = body;
      const channelId = requireId('channel_id', body.channel_id);
      const file = { ...toUpload(body.file, mimeType), mediaType };
      return uploadOut.of(await uploadMedia(world, caller, { ...file, channelId }));
    },
  }),
];
