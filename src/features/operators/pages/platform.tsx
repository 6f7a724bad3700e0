import type { ComponentChildren } from 'preact';
import type { PageContext } from '../../route.ts';
import { Badge } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { operatorPage } from './session.ts';
import { answerConsole, platformPath } from './shell.tsx';
import { checkUpstream } from '../../platform/index.ts';
import type { CheckedUpstream } from '../../platform/index.ts';

/** Asks the platform each time it is opened: what an operator mends is seen at the next look. */
async function show(context: PageContext): Promise<void> {
  const checked = await checkUpstream(context.world);
  answerConsole(context, {
    title: 'Platform',
    heading: checked.isOk ? 'The platform: all is right' : 'The platform: mend the first wrong line',
    at: platformPath,
    children: (
      <>
        <p>
          The app registered at the platform, and channels, compared with what the service needs; as{' '}
          <code>check-upstream</code> says it.
        </p>
        <Rows
          heads={['What', 'State', 'Finding']}
          traits={[['read-by'], ['state'], ['second']]}
          rows={checked.lines.map(({ about, isOk, says }) => [
            <code>{about}</code>,
            <Badge tone={isOk ? 'good' : 'bad'}>{isOk ? 'ok' : 'wrong'}</Badge>,
            <span>{withTimes(says, context.clock.now())}</span>,
          ])}
        />
        <p>{lookedAt(checked)}</p>
      </>
    ),
  });
}

/** The finding as the command says it, with its times as on other pages. */
function withTimes(says: string, now: number): ComponentChildren[] {
  const parts = says.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/);
  return parts.map((part, i) => (i % 2 === 1 ? <When at={Date.parse(part)} now={now} /> : part));
}

function lookedAt({ channelsLookedAt, hasMore }: CheckedUpstream): string {
  const looked = `${channelsLookedAt} ${channelsLookedAt === 1 ? 'channel' : 'channels'} looked at`;
  return hasMore ? `${looked}; there are more.` : `${looked}.`;
}

export const platformPages = [operatorPage({ get: platformPath, name: 'consolePlatform', open: show })];
