/** The model store of the random histories fulfils the same contract as the real stores. */
import { ModelStore } from '../actors/support/model-store.ts';
import { settingsOf } from '../actors/support/turns.ts';
import { describeJournal } from './conformance/index.ts';

const atOnce = async <T>(run: () => T): Promise<T> => run();

function opener(inTwo: () => boolean) {
  return async () => {
    const store = new ModelStore(settingsOf({}));
    const channelState = store.connect(atOnce, inTwo);
    return { channelState, stores: { messageLog: store.messageLog }, close: async () => undefined };
  };
}

describeJournal(
  'model store',
  opener(() => false),
);
describeJournal(
  'model store that commits an event before its message',
  opener(() => true),
);
