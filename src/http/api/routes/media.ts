import { FileAnswer } from '../../file-answer.ts';
import { apiRoute } from '../../route.ts';
import { noBody } from '../../validation/request-body.ts';

/** [spec: Media download] */
export const mediaRoutes = [
  apiRoute({
    get: '/api/v1/media/{media_id}',
    name: 'downloadMedia',
    tag: 'Media',
    summary: 'The bytes of an inbound file',
    description:
      'Needs the `pro` tier. The `Content-Type` is that of the file; `Content-Disposition` names it when a name is known. ' +
      'Files are temporary: 410 after their `expires_at`. Ranges are not served.',
    errors: [402, 410],
    body: noBody,
    success: { status: 200, file: { type: 'string', format: 'binary' } },
    async answer(call, { useCases }) {
      const { file, bytes } = await useCases.openMedia(call.caller, call.id('media_id'));
      return new FileAnswer(file, bytes, call.caller.accountId);
    },
  }),
];
