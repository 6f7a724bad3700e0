import type { RecordsOf } from '../../storage/records.ts';
import { followUps as followUpsEntity } from './entity.ts';
import type { FollowUp } from './entity.ts';

type Subject = Pick<FollowUp, 'kind' | 'subject'>;

const idOf = ({ kind, subject }: Subject): string => `${kind} ${subject}`;

export function followUpStore(recordsOf: RecordsOf) {
  const followUps = recordsOf(followUpsEntity);
  return {
    /** Of several for one subject the latest stands. */
    intend: (
      subjects: readonly Subject[],
      { dueAt, since }: Pick<FollowUp, 'dueAt' | 'since'>,
    ): Promise<void> =>
      followUps.upsertEach(
        subjects.map((each) => ({ ...each, id: idOf(each), dueAt, since })),
        { dueAt: 'max', since: 'max' },
      ),
    of: (subject: Subject): Promise<FollowUp | null> => followUps.one({ id: idOf(subject) }),
    /** The longest due first. */
    due: (now: number, limit: number): Promise<FollowUp[]> =>
      followUps.list({ by: 'due', range: { on: 'dueAt', from: 0, upTo: now }, limit }),
    /** Takes it off the record, unless it was intended again meanwhile. */
    async done({ id, dueAt }: FollowUp): Promise<void> {
      await followUps.remove({ id, dueAt });
    },
    /** Due again at `at`, unless it was intended again meanwhile. */
    later: ({ id, dueAt }: FollowUp, at: number): Promise<void> =>
      followUps.patchEach([{ which: { id, dueAt }, change: { set: { dueAt: at } } }]),
  };
}
