/** What other features call. */
export { applyTemplateFacts } from './apply-facts.ts';
export { findTypedTemplates } from './find-typed.ts';
export { fillForSend, isLookUpFailure } from './for-send.ts';
export { templateAt } from './pages/edit.tsx';
export { StoredPreview } from './pages/preview.tsx';
