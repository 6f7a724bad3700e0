/** [contract: Uploading a file; upstream §5.4] What a file may be sent as. */
import { describe, expect, test } from '@jest/globals';
import { Fault } from '../../src/kernel/faults.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { checkBeginning, checkFileType } from '../../src/rules/messages/file-type.ts';
import type { MediaType } from '../../src/rules/messages/message.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';

function reasonOf(check: () => void): unknown {
  try {
    check();
    return null;
  } catch (thrown) {
    return thrown instanceof Fault ? [thrown.code, thrown.details['reason']] : thrown;
  }
}
const refused = (reason: string) => ['unsupported_content', reason];

describe('by its type', () => {
  test.each<[MediaType, string]>([
    ['image', 'image/jpeg'],
    ['image', 'IMAGE/PNG; a=b'],
    ['audio', 'audio/ogg; codecs=opus'],
    ['video', 'video/mp4'],
    ['document', 'application/pdf'],
    ['document', 'image/png'],
  ])('%s may be %s', (mediaType, mimeType) => {
    for (const type of channelTypes)
      expect(reasonOf(() => checkFileType(kindOf(type), mediaType, mimeType))).toBeNull();
  });

  test.each<[MediaType, string]>([
    ['image', 'application/pdf'],
    ['image', 'video/mp4'],
    ['audio', 'image/jpeg'],
    ['video', 'audio/mpeg'],
    ['video', 'text/plain'],
  ])('%s may not be %s', (mediaType, mimeType) => {
    for (const type of channelTypes)
      expect(reasonOf(() => checkFileType(kindOf(type), mediaType, mimeType))).toEqual(refused('wrong_type'));
  });

  test('chatapp shows images of two types alone; only the others get a type that is not told', () => {
    const reasons = (mimeType: string) =>
      channelTypes.map((type) => reasonOf(() => checkFileType(kindOf(type), 'image', mimeType)));
    const onChatapp = channelTypes.map((type) => (type === 'chatapp' ? refused('wrong_type') : null));
    expect(reasons('image/webp')).toEqual(onChatapp);
    expect(reasons('application/octet-stream')).toEqual(onChatapp);
  });
});

describe('by its beginning', () => {
  const beginnings = {
    pdf: '%PDF-1.7',
    zip: 'PK\u0003\u0004',
    jpeg: '\u00ff\u00d8\u00ff\u00e0',
    png: '\u0089PNG\r\n',
    webp: 'RIFF1234WEBPVP8 ',
    heic: '\0\0\0\u0018ftypheic',
    mp4: '\0\0\0\u0018ftypmp42',
    ogg: 'OggS\0',
    wav: 'RIFF1234WAVEfmt ',
    unknown: 'a text',
    short: 'P',
  };
  const fits: Record<MediaType, (keyof typeof beginnings)[]> = {
    image: ['jpeg', 'png', 'webp', 'heic', 'unknown', 'short'],
    audio: ['mp4', 'ogg', 'wav', 'unknown', 'short'],
    video: ['mp4', 'ogg', 'wav', 'unknown', 'short'],
    document: ['pdf', 'zip', 'jpeg', 'png', 'webp', 'heic', 'mp4', 'ogg', 'wav', 'unknown', 'short'],
  };
  test.each(['image', 'audio', 'video', 'document'] as const)('%s', (mediaType) => {
    const passing = Object.entries(beginnings).filter(([, text]) => {
      const check = () => checkBeginning(kindOf('pagechat'), mediaType, Buffer.from(text, 'latin1'));
      return reasonOf(check) === null;
    });
    expect(passing.map(([name]) => name)).toEqual(fits[mediaType]);
  });
});
