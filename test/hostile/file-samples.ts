/**
 * A small file of every format that `music-metadata` parses, and of every family in which `file-type` reads further than the
 * signature. Complete enough for the parsers to read through.
 */
import { syncSafe } from '../support/crafted-files.ts';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const join = (...parts: (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? ascii(part) : part)));

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
function u32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
const u64le = (value: number): Buffer => join(u32le(value), u32le(0));
const u64 = (value: number): Buffer => join(u32(0), u32(value));
const u16le = (value: number): Buffer => u32le(value).subarray(0, 2);

function id3Frame(id: string, body: Buffer): Buffer {
  return join(id, syncSafe(body.length), hex('0000'), body);
}

function id3v2(...frames: Buffer[]): Buffer {
  const body = Buffer.concat(frames);
  return join('ID3', hex('040000'), syncSafe(body.length), body);
}

const id3 = id3v2(
  id3Frame('TIT2', join(hex('00'), 'A title')),
  id3Frame('TCON', join(hex('03'), 'Pop\0Rock\0(17)')),
  id3Frame('TXXX', join(hex('00'), 'key\0', 'value')),
  id3Frame('COMM', join(hex('00'), 'eng', 'note\0', 'a comment')),
  id3Frame('USLT', join(hex('01'), 'eng', hex('fffe 0000 fffe 6100'))),
  id3Frame('SYLT', join(hex('00'), 'eng', hex('0201'), 'words\0', 'la\0', u32(10))),
  id3Frame('APIC', join(hex('00'), 'image/png\0', hex('03'), 'cover\0', hex('89504e470d0a1a0a'))),
  id3Frame('CHAP', join('c1\0', u32(0), u32(9), u32(0), u32(9), id3Frame('TIT2', join(hex('00'), 'one')))),
  id3Frame('CTOC', join('toc\0', hex('0301'), 'c1\0')),
  id3Frame('POPM', join('a@b\0', hex('80'), u32(3))),
  id3Frame('PRIV', join('owner\0', hex('0102'))),
);
/** 128 kbit/s, 44.1 kHz. */
const mpegFrame = join(hex('fffb9064'), Buffer.alloc(413));
const id3v1 = join('TAG', Buffer.alloc(125, 32));
const ape = (() => {
  const item = join(u32le(5), u32le(0), 'Genre\0', 'Metal');
  const end = join('APETAGEX', u32le(2000), u32le(item.length + 32), u32le(1), u32le(0), Buffer.alloc(8));
  return join(item, end);
})();

const atom = (name: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return join(u32(body.length + 8), name, body);
};
const mvhd = atom('mvhd', Buffer.alloc(12), u32(1000), u32(5000), Buffer.alloc(80));
const mp4 = (brand: string): Buffer =>
  join(
    atom('ftyp', ascii(brand), u32(0), ascii('isom')),
    atom(
      'moov',
      mvhd,
      atom(
        'trak',
        atom('tkhd', Buffer.alloc(84)),
        atom(
          'mdia',
          atom('mdhd', Buffer.alloc(12), u32(1000), u32(5000), u32(0)),
          atom('hdlr', Buffer.alloc(8), ascii('soun'), Buffer.alloc(13)),
          atom(
            'minf',
            atom(
              'stbl',
              atom('stsd', u32(0), u32(1), atom('mp4a', Buffer.alloc(6), hex('0001'), Buffer.alloc(20))),
              atom('stts', u32(0), u32(1), u32(5), u32(1000)),
              atom('stsc', u32(0), u32(1), u32(1), u32(1), u32(1)),
              atom('stsz', u32(0), u32(4), u32(5)),
              atom('stco', u32(0), u32(1), u32(40)),
            ),
          ),
        ),
      ),
      atom(
        'udta',
        atom('meta', u32(0), atom('ilst', atom('\u00a9gen', atom('data', u32(1), u32(0), ascii('Pop'))))),
      ),
    ),
    atom('mdat', Buffer.alloc(40)),
  );

const chunk = (name: string, body: Buffer): Buffer => join(name, u32le(body.length), body);
const riff = (kind: string, ...parts: Buffer[]): Buffer => {
  const body = join(kind, ...parts);
  return join('RIFF', u32le(body.length), body);
};
const fmt = chunk('fmt ', join(u16le(1), u16le(1), u32le(8000), u32le(8000), u16le(1), u16le(8)));
const list = chunk('LIST', join('INFO', chunk('IGNR', ascii('Pop\0'))));

const iff = (form: string, kind: string, ...parts: Buffer[]): Buffer => {
  const body = join(kind, ...parts);
  return join(form, u32(body.length), body);
};
const iffChunk = (name: string, body: Buffer): Buffer => join(name, u32(body.length), body);

const comments = (prefix: string): Buffer =>
  join(prefix, u32le(4), 'some', u32le(2), u32le(9), 'GENRE=Pop', u32le(7), 'TITLE=x');
const oggPage = (flags: number, page: number, body: Buffer): Buffer =>
  join(
    'OggS',
    Buffer.from([0, flags]),
    u64le(48_000),
    u32le(1),
    u32le(page),
    u32le(0),
    Buffer.from([1, body.length]),
    body,
  );
const ogg = (...packets: Buffer[]): Buffer =>
  join(...packets.map((packet, n) => oggPage(n === 0 ? 2 : n === packets.length - 1 ? 4 : 0, n, packet)));
const vorbisHead = join('\x01vorbis', u32le(0), hex('01'), u32le(44_100), Buffer.alloc(12), hex('b801'));
const opusHead = join('OpusHead', hex('0101'), u16le(0), u32le(48_000), u16le(0), hex('00'));
const speexHead = join('Speex   ', Buffer.alloc(20, 32), u32le(1), u32le(80), Buffer.alloc(24));

const flacBlock = (type: number, body: Buffer): Buffer =>
  join(Buffer.from([type]), u32(body.length).subarray(1), body);
const flac = join(
  'fLaC',
  flacBlock(0, hex(`1000 1000 000000 000000 0ac442f0 0000ac44 ${'00'.repeat(16)}`)),
  flacBlock(4, comments('')),
  flacBlock(0x86, join(u32(3), u32(9), 'image/png', u32(0), Buffer.alloc(16), u32(4), 'abcd')),
);

/** An EBML element whose size takes one byte. */
const element = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return join(
    hex(id),
    body.length < 127 ? Buffer.from([0x80 | body.length]) : join(hex('10'), u32(body.length).subarray(1)),
    body,
  );
};
const ebml = (kind: string): Buffer =>
  join(
    element('1a45dfa3', element('4282', ascii(kind)), element('4287', hex('02'))),
    element(
      '18538067',
      element('1549a966', element('2ad7b1', hex('0f4240')), element('4489', hex('40b3880000000000'))),
      element(
        '1654ae6b',
        element(
          'ae',
          element('d7', hex('01')),
          element('83', hex('02')),
          element('86', ascii('A_OPUS')),
          element('e1', element('b5', hex('473b8000'))),
        ),
      ),
      element(
        '1254c367',
        element('7373', element('67c8', element('45a3', ascii('GENRE')), element('4487', ascii('Pop')))),
      ),
      element('1f43b675', element('e7', hex('00'))),
    ),
  );

const guid = {
  header: hex('3026b2758e66cf11a6d900aa0062ce6c'),
  file: hex('a1dcab8c47a9cf118ee400c00c205365'),
  content: hex('3326b2758e66cf11a6d900aa0062ce6c'),
  stream: hex('9107dcb7b7a9cf118ee600c00c205365'),
};
const asfObject = (id: Buffer, body: Buffer): Buffer => join(id, u64le(body.length + 24), body);
const asfParts = [
  asfObject(guid.file, join(Buffer.alloc(40), u64le(50_000_000), u64le(0), Buffer.alloc(24))),
  asfObject(guid.content, join(u16le(4), u16le(0), u16le(0), u16le(0), u16le(0), hex('61000000'))),
  asfObject(guid.stream, Buffer.alloc(54)),
];
const asf = join(
  guid.header,
  u64le(30 + Buffer.concat(asfParts).length),
  u32le(asfParts.length),
  hex('0102'),
  ...asfParts,
);

const zipEntry = (name: string, body: string): Buffer =>
  join(
    'PK\x03\x04',
    hex('1400 0000 0000 0000 0000'),
    u32le(0),
    u32le(body.length),
    u32le(body.length),
    u16le(name.length),
    u16le(0),
    name,
    body,
  );
const pngChunk = (name: string, body: Buffer): Buffer => join(u32(body.length), name, body, u32(0));
const tar = join(Buffer.alloc(148), '0001750\0', Buffer.alloc(101), 'ustar\x0000', Buffer.alloc(247));

/** By MIME type. */
export const samples: Readonly<Record<string, Buffer>> = {
  'audio/mpeg': join(id3, mpegFrame, mpegFrame, mpegFrame, ape, id3v1),
  'audio/mp4': mp4('M4A '),
  'video/mp4': mp4('isom'),
  'video/quicktime': mp4('qt  '),
  'audio/wav': riff('WAVE', fmt, list, chunk('id3 ', id3), chunk('data', Buffer.alloc(800, 128))),
  'video/vnd.avi': riff('AVI ', chunk('LIST', ascii('hdrl'))),
  'image/webp': riff('WEBP', chunk('VP8 ', Buffer.alloc(10))),
  'audio/aiff': iff(
    'FORM',
    'AIFF',
    iffChunk('COMM', join(hex('0001'), u32(8000), hex('0008 400bfa00000000000000'))),
    iffChunk('ID3 ', id3),
    iffChunk('SSND', Buffer.alloc(16)),
  ),
  'audio/ogg': ogg(opusHead, comments('OpusTags'), Buffer.alloc(20)),
  'audio/vorbis': ogg(vorbisHead, comments('\x03vorbis'), Buffer.alloc(20)),
  'audio/speex': ogg(speexHead, comments(''), Buffer.alloc(20)),
  'audio/flac': flac,
  'video/webm': ebml('webm'),
  'video/matroska': ebml('matroska'),
  'audio/x-ms-asf': asf,
  'audio/ape': join(
    'MAC ',
    u16le(3990),
    u16le(0),
    u32le(52),
    u32le(24),
    Buffer.alloc(36),
    Buffer.alloc(24, 1),
    ape,
  ),
  'audio/wavpack': join(
    'wvpk',
    u32le(56),
    u16le(0x410),
    u16le(0),
    u32le(8000),
    u32le(0),
    u32le(8000),
    u32le(0x1800),
    u32le(0),
    hex('2103 000000000000'),
    Buffer.alloc(24),
    ape,
  ),
  'audio/musepack': join(
    'MPCK',
    'SH',
    hex('10'),
    Buffer.alloc(13, 8),
    'RG',
    hex('0c'),
    Buffer.alloc(9),
    'SE',
    hex('03'),
    ape,
  ),
  'audio/x-musepack': join('MP+', hex('07'), u32le(100), Buffer.alloc(40), ape),
  'audio/dsf': join(
    'DSD ',
    u64le(28),
    u64le(120),
    u64le(92),
    'fmt ',
    u64le(52),
    u32le(1),
    u32le(0),
    u32le(2),
    u32le(2),
    u32le(2_822_400),
    u32le(1),
    u64le(28_224),
    u32le(4096),
    u32le(0),
    'data',
    u64le(12),
    id3,
  ),
  'audio/dsd': join(
    'FRM8',
    u64(80),
    'DSD ',
    'FVER',
    u64(4),
    u32(0x01050000),
    'PROP',
    u64(32),
    'SND ',
    'FS  ',
    u64(4),
    u32(2_822_400),
    'CHNL',
    u64(2),
    hex('0002'),
    'ID3 ',
    u64(id3.length),
    id3,
  ),
  'audio/aac': join(hex('fff15080'), Buffer.alloc(60)),
  'image/png': join(
    hex('89504e470d0a1a0a'),
    pngChunk('IHDR', Buffer.alloc(13)),
    pngChunk('tEXt', ascii('k\0v')),
    pngChunk('acTL', Buffer.alloc(8)),
    pngChunk('IDAT', Buffer.alloc(9)),
  ),
  'image/tiff': join('II*\0', u32le(8), u16le(2), Buffer.alloc(24), u32le(0)),
  'image/jpeg': join(hex('ffd8ffe0 0010'), 'JFIF', Buffer.alloc(40), hex('ffd9')),
  'application/zip': join(
    zipEntry('mimetype', 'application/epub+zip'),
    zipEntry(
      '[Content_Types].xml',
      '<Types ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>',
    ),
    zipEntry('word/a.xml', 'x'),
  ),
  'application/gzip': hex('1f8b0800000000000003 4b040043beb7e801000000'),
  'application/pdf': join('%PDF-1.7\n', Buffer.alloc(60, 32), 'AIPrivateData'),
  'application/x-tar': tar,
  'application/x-cfb': join(hex('d0cf11e0a1b11ae1'), Buffer.alloc(500)),
  'application/xml': ascii('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  'application/ogg': ogg(join('fishead\0', Buffer.alloc(40)), Buffer.alloc(20)),
};
