import { eventForStatus, statusEvent } from '../../src/domain/events/status.ts';
import type { ChannelEvent } from '../../src/domain/events/built.ts';
import type { StatusReport } from '../../src/domain/events/status.ts';
import type { ChannelSettings } from './ports.ts';

/** The event for this status, or none where the channel's type has none. [spec: Event types] */
export function statusEventsOf({ channel }: ChannelSettings, report: StatusReport): ChannelEvent[] {
  return eventForStatus(channel.channelType, report.status) === null ? [] : [statusEvent(report)];
}

/** Whether this event is to be POSTed at all: read at each attempt, not when the event arose. [architecture §6.5] */
export function isEnabled({ channel }: ChannelSettings, event: string): boolean {
  return channel.webhookUrl !== null && (channel.webhookEvents ?? []).includes(event);
}
