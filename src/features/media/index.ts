/** What other features call. */
export { findUpload } from './upload.ts';
