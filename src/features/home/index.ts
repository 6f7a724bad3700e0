/** What other features call. */
export { percentWords } from './pages/words.ts';
