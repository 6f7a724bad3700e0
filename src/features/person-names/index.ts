/** The names of people that other features may ask for. */
export { findNames } from './find-names.ts';
