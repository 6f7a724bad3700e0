/**
 * Hidden fields of a form that say what a control showed when the page was made: only what differs from it is saved, so that a form that was open for
 * long writes back nothing that others have changed since.
 */

/** Name of the hidden field of this control. */
export const wasField = (name: string): string => `was:${name}`;

/** For a person whose changes meet those of somebody else; `labels`: of the fields that both changed, if the form tells. */
export function changedElsewhereWords(labels: readonly string[] = []): string {
  const which = labels.length === 0 ? '' : `: ${labels.join('; ')}`;
  return `Changed elsewhere since you opened this page${which}. Nothing was saved: save again to replace it.`;
}
