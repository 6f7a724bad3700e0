/** What other features call. */
export { toUpload } from './arriving.ts';
export { findUpload, uploadMedia } from './upload.ts';
