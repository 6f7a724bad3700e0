/** A file of a multipart body. */
export type UploadedFile = {
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
};

/** Texts and files of a multipart body, each by name. */
type Multipart = {
  readonly texts: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
};

const lineEnd = '\r\n';

/**
 * Parses a `multipart/form-data` body. Names may be quoted or bare, in any order: `filename=x.png; name=file` is legal [upstream protocol
 * 9.1]. Undefined: there is no boundary, or the body does not contain it.
 */
export function parseMultipart(raw: Buffer, contentType: string): Multipart | undefined {
  const boundary = parameterOf(contentType, 'boundary');
  if (boundary === undefined) return undefined;
  const mark = `--${boundary}`;
  const texts: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  let start = raw.indexOf(mark);
  if (start < 0) return undefined;
  for (;;) {
    start += mark.length;
    const end = raw.indexOf(lineEnd + mark, start);
    if (end < 0) return { texts, files };
    addPart(raw.subarray(start + lineEnd.length, end), texts, files);
    start = end + lineEnd.length;
  }
}

function addPart(part: Buffer, texts: Record<string, string>, files: Map<string, UploadedFile>): void {
  const gap = part.indexOf(lineEnd + lineEnd);
  if (gap < 0) return;
  const head = part.subarray(0, gap).toString('utf8').split(lineEnd);
  const bytes = part.subarray(gap + 2 * lineEnd.length);
  const disposition = headerOf(head, 'content-disposition') ?? '';
  const name = parameterOf(disposition, 'name');
  const filename = parameterOf(disposition, 'filename');
  if (name === undefined) return;
  if (filename === undefined) texts[name] = bytes.toString('utf8');
  else files.set(name, { filename, mimeType: headerOf(head, 'content-type') ?? '', bytes });
}

function headerOf(head: readonly string[], name: string): string | undefined {
  const line = head.find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** A parameter of a header's value, quoted or bare. */
function parameterOf(value: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|;)\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(
    value,
  );
  return match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2];
}
