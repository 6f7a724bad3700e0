import type { VNode } from 'preact';
import type { PagePosition } from '../../../kernel/paging.ts';
import { Empty, FirstStep, ShowAll } from '../../../pages/list/empty.tsx';
import { When } from '../../../pages/time.tsx';
import { channelsPath, messagesPath } from '../../../pages/paths.ts';
import { keptWords } from '../../deliveries/index.ts';

interface NoneProps {
  person: string;
  isFiltered: boolean;
  /** Where the next page goes on; null: every message was looked at. */
  next: PagePosition | null;
  now: number;
  logDays: number;
}

/** In place of a list without messages: why, and what to do. */
export function None({ person, isFiltered, next, now, logDays }: NoneProps): VNode {
  if (next !== null)
    return (
      <Empty>
        <p>
          None among the newest messages, those since <When at={next.createdAt} now={now} />. The next page
          looks further back.
        </p>
      </Empty>
    );
  if (!isFiltered) return <NoneYet />;
  return (
    <Empty>
      <p>
        No messages match{hintFor(person)} {keptWords(logDays)}
      </p>
      <ShowAll path={messagesPath} />
    </Empty>
  );
}

/** By what was searched for. */
function hintFor(person: string): string {
  if (/^[\da-f]{8}-[\da-f-]{27}/i.test(person)) return ': nothing of this account has this id.';
  if (/^(?:wamid\.|m_|aWdf)/.test(person))
    return ': this is an id of the platform. Messages are found by the message_id that the API answered.';
  if (/^[+\d][\d\p{Zs}()./-]*$/u.test(person)) return '. A number is found whole, with its country code.';
  return '. Choose another person, channel, state or day.';
}

function NoneYet(): VNode {
  return (
    <FirstStep path={channelsPath} word="Open a channel and send one">
      No message yet. What you send appears here, and inbound messages once a channel’s webhook has the event
      message.received.
    </FirstStep>
  );
}
