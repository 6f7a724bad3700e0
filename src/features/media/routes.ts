import { apiRoute } from '../route.ts';
import { openMedia } from './open-media.ts';
import { FileAnswer } from '../../http/file-answer.ts';
import { noBody } from '../../http/validation/request-body.ts';

/** [spec: Media download] */
export const mediaRoutes = [
  apiRoute({
    get: '/api/v1/media/{media_id}',
    name: 'downloadMedia',
    needs: ['messages:read'],
    tag: 'Media',
    summary: 'Downloads the file of an inbound message',
    description:
      'Requires the `pro` tier. `Content-Type` is the type of the file; `Content-Disposition` has its name, if known. ' +
      'Files are temporary: after `expires_at` the answer is 410. A `Range` header is ignored: the whole file is sent.',
    errors: [402, 410],
    body: noBody,
    success: { status: 200, file: { type: 'string', format: 'binary' } },
    async answer(call, { world }) {
      const { file, bytes } = await openMedia(world, call.caller, call.id('media_id'));
      return new FileAnswer(file, bytes, call.caller.accountId);
    },
  }),
];
