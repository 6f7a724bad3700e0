import { MIMEType } from 'node:util';

export function readMimeType(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null; // the constructor's only failure is a text that is no MIME type
  }
}
