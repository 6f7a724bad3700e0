/** A small real file. */
type SampleFile = { readonly bytes: Buffer; readonly mimeType: string; readonly filename: string };

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const jpeg =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';
const webp = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
const pdf =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';

const clipMs = 2_500;

function box(name: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** An MP4 of the given brand without samples, but with a movie header that contains its duration. */
function mp4(brand: string): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12);
  header.writeUInt32BE(clipMs, 16);
  header.writeUInt32BE(0x00010000, 20);
  const type = Buffer.from(`${brand}\0\0\x02\0${brand}mp41`, 'latin1');
  return Buffer.concat([box('ftyp', type), box('moov', box('mvhd', header)), box('mdat', Buffer.alloc(16))]);
}

/** One Ogg page; its checksum is CRC-32 with polynomial 04c11db7, unreflected. */
function oggPage(flags: number, granule: number, sequence: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS', 0, 'latin1');
  head[5] = flags;
  head.writeBigUInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(sequence, 18);
  head[26] = 1;
  head[27] = packet.length;
  const page = Buffer.concat([head, packet]);
  page.writeUInt32LE(crc(page), 22);
  return page;
}

function crc(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum ^ (byte << 24)) >>> 0;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1) >>> 0;
  }
  return sum;
}

/** An Opus voice note of 2.5 s in Ogg (48 kHz granules). */
function ogg(): Buffer {
  const head = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1');
  const tags = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1');
  const frame = Buffer.from([0xf8, 0xff, 0xfe]);
  return Buffer.concat([oggPage(2, 0, 0, head), oggPage(0, 0, 1, tags), oggPage(4, clipMs * 48, 2, frame)]);
}

const image = { bytes: Buffer.from(jpeg, 'base64'), mimeType: 'image/jpeg', filename: 'cake.jpg' };
const video = { bytes: mp4('isom'), mimeType: 'video/mp4', filename: 'clip.mp4' };
const tune = { bytes: mp4('M4A '), mimeType: 'audio/mp4', filename: 'song.m4a' };
const voice = { bytes: ogg(), mimeType: 'audio/ogg; codecs=opus', filename: 'voice.ogg' };
const song = {
  bytes: Buffer.concat([Buffer.from('fff340c0', 'hex'), Buffer.alloc(400)]),
  mimeType: 'audio/mpeg',
  filename: 'song.mp3',
};
const sticker = { bytes: Buffer.from(webp, 'base64'), mimeType: 'image/webp', filename: 'sticker.webp' };
const invoice = { bytes: Buffer.from(pdf, 'latin1'), mimeType: 'application/pdf', filename: 'invoice.pdf' };
const drawing = { bytes: Buffer.from(png, 'base64'), mimeType: 'image/png', filename: 'cake.png' };

/** The files under `/files/`, by name. */
export const sampleFiles: ReadonlyMap<string, SampleFile> = new Map(
  [image, drawing, video, voice, song, tune, sticker, invoice].map((file) => [file.filename, file]),
);

/** A small real file for an upstream media type; a document for any other type. */
export function sampleFor(type: string): SampleFile {
  switch (type) {
    case 'image':
    case 'story_mention':
    case 'story_reply':
    case 'share':
    case 'ig_post':
    case 'post':
      return image;
    case 'video':
    case 'ig_reel':
    case 'reel':
      return video;
    case 'voice':
      return voice;
    case 'audio':
      return song;
    case 'sticker':
      return sticker;
    default:
      return invoice;
  }
}
