import { GraphError } from './graph-error.ts';
import type { Page, Phone, Photo } from './model.ts';
import type { Draft } from './send-draft.ts';
import type { World } from './world.ts';

// [upstream protocol 3.8] One message per 6 s to one person, with a burst of 45 that uses up future quota.
const pairGapMs = 6_000;
const pairBurstMs = 45 * pairGapMs;
/** Burst: the messages of one second at once. */
const burstMs = 1_000;
const pageGapMs = 1_000 / 300;
const audioVideoGapMs = 1_000 / 10;

/** Applies only if switched on: the pair rate and the number's throughput, or the send rate of a page or photoapp account. */
export function checkRates(world: World, draft: Draft): void {
  if (!world.settings.rates) return;
  const { channel } = draft;
  if (channel.type === 'phone') checkPhone(world, channel, draft.recipient);
  else checkPage(world, channel, draft.type === 'audio' || draft.type === 'video');
}

function checkPhone(world: World, phone: Phone, recipient: string): void {
  const now = world.now();
  const gapMs = phone.dualUse ? 50 : 12.5;
  if (phone.paceUntil - now > burstMs)
    throw new GraphError({
      code: 130429,
      details:
        'Message failed to send because there were too many messages sent from this phone number in a short period of time.',
    });
  const conversation = world.conversation(phone.id, recipient);
  if (conversation.paceUntil - now > pairBurstMs - pairGapMs) {
    throw new GraphError({
      code: 131056,
      details:
        'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
    });
  }
  phone.paceUntil = Math.max(phone.paceUntil, now) + gapMs;
  conversation.paceUntil = Math.max(conversation.paceUntil, now) + pairGapMs;
}

function checkPage(world: World, page: Page | Photo, isAudioOrVideo: boolean): void {
  const now = world.now();
  const { pace } = page;
  if ((isAudioOrVideo ? pace.audioVideo : pace.all) - now > burstMs)
    throw new GraphError({ code: 613, subcode: page.type === 'page' ? 2018338 : 2534040 });
  if (isAudioOrVideo) pace.audioVideo = Math.max(pace.audioVideo, now) + audioVideoGapMs;
  else pace.all = Math.max(pace.all, now) + pageGapMs;
}
