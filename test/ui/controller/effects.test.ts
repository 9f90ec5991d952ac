/** Keys that hand over the terminal: to an editor, the shell, the clipboard. */
import { expect, test } from 'vitest';
import { createEffects } from '../../../src/ui/controller/effects.ts';
import type { EditOutcome, UiOptions } from '../../../src/ui/types.ts';

type EffectPorts = Parameters<typeof createEffects>[0];

/** A screen that records its calls. */
function setUp(options: Partial<Pick<UiOptions, 'editText' | 'stop'>> = {}, clipboard?: string) {
  const done: string[] = [];
  const ports = {
    options,
    shown: () => ({ images: () => ({ fromClipboard: async () => clipboard }) }),
    screen: () => ({
      composer: () => ({
        text: () => 'draft',
        setText: (text: string) => done.push(`set ${text}`),
        insertImage: (label: string) => done.push(label),
      }),
      suspend: async (run: () => Promise<void>) => {
        done.push('given away');
        await run();
        done.push('taken back');
      },
    }),
    showNotice: (level: string, text: string) => done.push(`${level}: ${text}`),
    dispatch: async (message: { readonly text: string }) => done.push(`hint: ${message.text}`),
  } as unknown as EffectPorts;
  return { run: createEffects(ports), done };
}

const edited = async (outcome: EditOutcome) => {
  const { run, done } = setUp({
    editText: async (text) => {
      done.push(`edit ${text}`);
      return outcome;
    },
  });
  await run({ type: 'edit_draft' });
  return done;
};

test('the editor’s text replaces the draft, and the editor has the terminal in the meantime', async () => {
  expect(await edited({ type: 'edited', text: 'new' })).toEqual([
    'given away',
    'edit draft',
    'taken back',
    'set new',
  ]);
});

test('a draft saved unchanged stays, folds included; a failed editor is reported', async () => {
  expect(await edited({ type: 'edited', text: 'draft' })).not.toContain('set draft');
  const failed = await edited({ type: 'failed', message: 'No editor.' });
  expect(failed.at(-1)).toBe('error: No editor.');
  expect(failed.some((one) => one.startsWith('set'))).toBe(false);
});

test('without an editor, the terminal is not handed over', async () => {
  const { run, done } = setUp();
  await run({ type: 'edit_draft' });
  expect(done).toEqual(['hint: No editor available.']);
});

test.each([
  ['continued', ['given away', 'taken back']],
  ['unsupported', ['given away', 'taken back', 'hint: Cannot suspend: there is no shell to resume from.']],
] as const)('Ctrl+Z, %s', async (outcome, expected) => {
  const { run, done } = setUp({ stop: async () => outcome });
  await run({ type: 'suspend' });
  expect(done).toEqual(expected);
});

test('Ctrl+V inserts the label of the image at the cursor, and nothing without an image', async () => {
  const full = setUp({}, '[Image #1]');
  await full.run({ type: 'paste_image' });
  expect(full.done).toEqual(['[Image #1]']);
  const bare = setUp({});
  await bare.run({ type: 'paste_image' });
  expect(bare.done).toEqual([]);
});
