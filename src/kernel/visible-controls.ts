/**
 * Characters that a reader does not see but a terminal or browser obeys: controls, and those that reorder the text around them, so that
 * a file name may read as another. Tabs and line ends stay. [faults: 323]
 */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with each of them as `[U+202E]`. */
export function visibleControls(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}
