/** Whether a file can be what it is to be sent as: upstream says so at the send only, where it is too late. [upstream §5.4] */
import { fault } from '../../kernel/faults.ts';
import type { ChannelKind } from '../channels/kind.ts';
import type { MediaType } from './message.ts';

type Kind = Pick<ChannelKind, 'type' | 'uploadTypes'>;

/** Throws 400 `unsupported_content`. Which types of a sort upstream takes, it says itself. */
export function checkFileType(kind: Kind, mediaType: MediaType, mimeType: string): void {
  const bare = bareType(mimeType);
  if (!kind.uploadTypes[mediaType].test(bare)) throw unfit(kind, `${bare} as ${mediaType}`, 'wrong_type');
}

/** Without parameters, in lower case. */
export function bareType(mimeType: string): string {
  return mimeType.replace(/;.*$/s, '').trim().toLowerCase();
}

/** Throws 400 `unsupported_content` if the file begins as one of another sort; most formats are not known here, and pass. */
export function checkBeginning(kind: Kind, mediaType: MediaType, beginning: Uint8Array): void {
  if (mediaType === 'document') return;
  const text = Buffer.from(beginning.subarray(0, longest)).toString('latin1');
  const found = beginnings.find(({ begin, at = 0 }) => text.startsWith(begin, at));
  if (found === undefined || found.fits.includes(mediaType)) return;
  throw unfit(kind, `${found.what} as ${mediaType}`, 'wrong_bytes');
}

function unfit({ type }: Kind, what: string, reason: string): Error {
  return fault('unsupported_content', { what, channel_type: type, reason });
}

interface Beginning {
  begin: string;
  at?: number;
  what: string;
  fits: readonly MediaType[];
}

const picture = { what: 'A picture', fits: ['image'] } as const;
const recording = { what: 'A recording', fits: ['audio', 'video'] } as const;

/** The first that fits is meant. */
const beginnings: readonly Beginning[] = [
  { begin: '%PDF', what: 'A PDF', fits: [] },
  { begin: 'PK\u0003\u0004', what: 'An archive', fits: [] },
  { begin: '\u00ff\u00d8\u00ff', ...picture },
  { begin: '\u0089PNG', ...picture },
  { begin: 'GIF8', ...picture },
  { begin: 'WEBP', at: 8, ...picture },
  { begin: 'ftypheic', at: 4, ...picture },
  { begin: 'ftypmif1', at: 4, ...picture },
  { begin: 'ftypavif', at: 4, ...picture },
  { begin: 'ftyp', at: 4, ...recording },
  { begin: 'OggS', ...recording },
  { begin: 'ID3', ...recording },
  { begin: '#!AMR', ...recording },
  { begin: 'WAVE', at: 8, ...recording },
  { begin: 'AVI ', at: 8, ...recording },
];

const longest = 16;
