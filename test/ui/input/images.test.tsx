import { expect, test } from 'vitest';
import { Composer, type ComposerHandle } from '../../../src/ui/input/Composer.tsx';
import { createActionQueue } from '../../../src/ui/input/completion.ts';
import type { Draft } from '../../../src/ui/input/composerState.ts';
import { mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

/** A composer whose pastes are checked for as long as the test wants. */
async function openComposer(columns = 60) {
  const sent: Draft[] = [];
  const handle: { current: ComposerHandle | null } = { current: null };
  let answer: (labels: readonly string[] | undefined) => void = () => undefined;
  const { screen } = await mount(
    <Composer
      ref={handle}
      isActive
      width={columns}
      maxRows={6}
      theme={plain}
      history={{ load: async () => [], add: async () => undefined }}
      completion={{ commands: () => [], files: async () => [] }}
      onSubmit={(draft) => sent.push(draft)}
      onIntent={() => undefined}
      popQueued={() => undefined}
      attach={(pasted) =>
        pasted.endsWith('.png') ? new Promise((resolve) => (answer = resolve)) : undefined
      }
    />,
    { columns, rows: 10 },
  );
  return { screen, sent, handle, answer: (labels?: readonly string[]) => answer(labels) };
}

test('a pasted path becomes a label that is one cursor step', async () => {
  const { screen, answer, sent } = await openComposer();
  await screen.press('看 ', keys.paste('/tmp/a.png'));
  answer(['[Image #1]']);
  await screen.settle();
  expect(screen.text()[0]).toBe('❯ 看 [Image #1]');
  await screen.press('hm', keys.left, keys.left, keys.left, keys.backspace);
  expect(screen.text()[0]).toBe('❯ 看  hm');
  await screen.press(keys.ctrl('_'), keys.enter);
  expect(sent).toEqual([{ text: '看 [Image #1] hm', display: '看 [Image #1] hm' }]);
});

test('text typed while the path is checked waits, so Enter sends the image with it', async () => {
  const { screen, answer, sent } = await openComposer();
  await screen.press(keys.paste('/tmp/a.png'), 'w', 'h', 'y', '?', keys.enter);
  expect(sent).toEqual([]);
  answer(['[Image #1]', '[Image #2]']);
  await screen.settle();
  expect(sent).toEqual([{ text: '[Image #1] [Image #2] why?', display: '[Image #1] [Image #2] why?' }]);
});

test('a path that is not an image is pasted verbatim', async () => {
  const { screen, answer } = await openComposer();
  await screen.press(keys.paste('/tmp/a.png'), '!');
  answer();
  await screen.settle();
  expect(screen.text()[0]).toBe('❯ /tmp/a.png!');
});

test('an image from the clipboard gets a label too, and a restored text keeps it', async () => {
  const { screen, handle } = await openComposer(20);
  await screen.press('a');
  handle.current?.insertImage?.('[Image #1]');
  await screen.settle();
  expect(screen.text().join('')).toContain('a[Image #1]');
  handle.current?.setText('b [Image #2]');
  await screen.settle();
  await screen.press(keys.backspace);
  expect(screen.text()[0]).toBe('❯ b');
});

test('actions run in order, however long each of them takes', async () => {
  const turns = createActionQueue();
  const done: string[] = [];
  let open = (): void => undefined;
  turns.run(() => void done.push('a'));
  turns.run(() => new Promise((resolve) => (open = resolve)));
  turns.run(async () => {
    await Promise.resolve();
    done.push('b');
  });
  turns.run(() => void done.push('c'));
  expect(done).toEqual(['a']);
  open();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(done).toEqual(['a', 'b', 'c']);
  turns.run(() => void done.push('d'));
  expect(done.at(-1)).toBe('d');
});
