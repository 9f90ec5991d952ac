import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/ui/controllerTypes.ts';
import { pickModel, showKeys } from '../../../src/ui/deeds/dialogs.ts';
import { editDraft } from '../../../src/ui/deeds/editor.ts';
import { onEscape } from '../../../src/ui/deeds/escape.ts';
import { createStopOrLeave } from '../../../src/ui/deeds/leaving.ts';
import { toggleReasoning, toggleVim } from '../../../src/ui/deeds/preferences.ts';
import { suspend } from '../../../src/ui/deeds/suspend.ts';
import type { DeedPorts } from '../../../src/ui/deeds/types.ts';
import type { EditOutcome, SavedSetting, UiOptions } from '../../../src/ui/types.ts';
import { commandHost } from '../../commands/commandHost.ts';

/** A screen that writes down what is done to it. */
function stage({
  draft = 'draft',
  phase = { type: 'session' },
  saved = { type: 'saved', file: 'config.json' },
  options = {},
  host = commandHost(),
}: {
  draft?: string;
  phase?: Snapshot['phase'];
  saved?: SavedSetting;
  options?: Partial<Pick<UiOptions, 'editText' | 'stop'>>;
  host?: ReturnType<typeof commandHost>;
} = {}) {
  const done: string[] = [];
  let snapshot = {
    phase,
    preferences: { reducedMotion: false, showReasoning: false },
    session: { agent: host.agent, host, resumed: false, notices: [] },
  } as unknown as Snapshot;
  const ports = {
    options,
    snapshot: () => snapshot,
    house: () => ({
      saveSetting: async (path: readonly string[], value: unknown) => {
        done.push(`save ${path.join('.')} ${String(value)}`);
        return saved;
      },
    }),
    screen: () => ({
      composer: () => ({ text: () => draft, setText: (text: string) => done.push(`set ${text}`) }),
      suspend: async (run: () => Promise<void>) => {
        done.push('given away');
        await run();
        done.push('taken back');
      },
    }),
    set: (change: Partial<Snapshot>) => {
      snapshot = { ...snapshot, ...change };
    },
    say: (level: string, text: string) => done.push(`${level}: ${text}`),
    showHint: (hint: string | undefined) => {
      snapshot = { ...snapshot, hint };
      done.push(`hint: ${hint}`);
    },
    leave: () => done.push('left'),
  } as unknown as DeedPorts;
  return { ports, done, snapshot: () => snapshot };
}

const at = { empty: false };
const edited = async (outcome: EditOutcome) => {
  const { ports, done } = stage({
    options: {
      editText: async (text) => {
        done.push(`edit ${text}`);
        return outcome;
      },
    },
  });
  await editDraft(ports, at);
  return done;
};

test('what the editor saved replaces the draft, the terminal being given away meanwhile', async () => {
  expect(await edited({ type: 'edited', text: 'new' })).toEqual([
    'given away',
    'edit draft',
    'taken back',
    'set new',
  ]);
});

test('a draft that was saved as it was stays, folds and all; one that failed is said', async () => {
  expect(await edited({ type: 'edited', text: 'draft' })).not.toContain('set draft');
  const failed = await edited({ type: 'failed', message: 'No editor.' });
  expect(failed.at(-1)).toBe('error: No editor.');
  expect(failed.some((one) => one.startsWith('set'))).toBe(false);
});

test('without an editor to run nothing is given away', async () => {
  const { ports, done } = stage();
  await editDraft(ports, at);
  expect(done).toEqual(['hint: No editor available.']);
});

test.each([
  ['continued', ['given away', 'taken back']],
  ['unsupported', ['given away', 'taken back', 'hint: There is no shell here that could bring it back.']],
] as const)('Ctrl+Z, %s', async (outcome, expected) => {
  const { ports, done } = stage({ options: { stop: async () => outcome } });
  await suspend(ports, at);
  expect(done).toEqual(expected);
});

test('vim keys are switched on and off, and kept', async () => {
  const { ports, done, snapshot } = stage();
  await toggleVim(ports, at);
  expect(snapshot().preferences.vim).toBe(true);
  await toggleVim(ports, at);
  expect(snapshot().preferences.vim).toBe(false);
  expect(done.filter((one) => one.startsWith('save'))).toEqual(['save vim true', 'save vim false']);
});

test('vim keys that cannot be kept hold for now, and that is said', async () => {
  const { ports, done, snapshot } = stage({ saved: { type: 'refused', message: 'It is read only.' } });
  await toggleVim(ports, at);
  expect(snapshot().preferences.vim).toBe(true);
  expect(done.at(-1)).toBe('warning: Vim mode is on for this session. It is read only.');
});

test('reasoning is shown and hidden', async () => {
  const { ports, snapshot } = stage();
  await toggleReasoning(ports, at);
  expect(snapshot().preferences.showReasoning).toBe(true);
  await toggleReasoning(ports, at);
  expect(snapshot().preferences.showReasoning).toBe(false);
});

test('dialogs open over the session, and over nothing else', async () => {
  const open = stage();
  await showKeys(open.ports, at);
  expect(open.snapshot().phase).toEqual({ type: 'keys' });
  await pickModel(open.ports, at);
  expect(open.snapshot().phase).toEqual({ type: 'keys' });
  const models = stage();
  await pickModel(models.ports, at);
  expect(models.snapshot().phase).toEqual({ type: 'models', ids: ['gpt-4.1'] });
});

test('models that cannot be listed are said', async () => {
  const host = commandHost({ listModels: () => Promise.reject(new Error('offline')) });
  const { ports, done } = stage({ host });
  await pickModel(ports, at);
  expect(done).toEqual(['error: The models cannot be listed: offline']);
});

test('a second Esc and a second Ctrl+C count only while the first is still told', () => {
  const { ports, done, snapshot } = stage();
  const empty = { empty: true };
  const stopOrLeave = createStopOrLeave();
  // What is sent in between takes the hint away, and with it the first key.
  for (const press of [() => onEscape(ports, empty), () => stopOrLeave(ports, true, 'Ctrl+C')]) {
    press();
    ports.showHint(undefined);
    press();
  }
  expect(done).not.toContain('left');
  expect(snapshot().phase).toEqual({ type: 'session' });
  stopOrLeave(ports, true, 'Ctrl+C');
  expect(done.at(-1)).toBe('left');
  onEscape(ports, empty);
  onEscape(ports, empty);
  expect(snapshot().phase).toEqual({ type: 'rewind' });
});
