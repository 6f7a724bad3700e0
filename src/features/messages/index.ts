/** What other features call. */
export { timelineCells } from './list-schemas.ts';
export { sendForm, sendKindIn } from './pages/send-form.tsx';
export type { SendShown } from './pages/send-form.tsx';
export { trySend } from './pages/try-send.ts';
export { channelOfDelivery, channelOfMessage, messageCalled } from './delivered.ts';
export { findPeople } from './find-people.ts';
export { listCalls } from './timeline-rules.ts';
export type { MessageRecord, TimelineCall } from './timeline-rules.ts';
export { inspectMessage } from './timeline.ts';
export type { MessageTimeline } from './types.ts';
