/** What other features call. */
export { timelineCells } from './list-schemas.ts';
export { sendForm, trySend } from './pages/send-text.tsx';
export { channelOfDelivery, channelOfMessage, messageCalled } from './delivered.ts';
export { findPeople } from './find-people.ts';
export { listCalls } from './timeline-rules.ts';
export type { MessageRecord, TimelineCall } from './timeline-rules.ts';
export { inspectMessage } from './timeline.ts';
export type { MessageTimeline } from './types.ts';
