/**
 * Input methods compose at the terminal's cursor: after every key that is the insertion point.
 *
 * @module-tag long
 */
import * as fc from 'fast-check';
import { render } from 'ink';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { SelectList } from '../../../src/ui/dialog/SelectList.tsx';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { createScreen, keys } from '../screen.ts';
import { mountComposer } from './composerScreen.tsx';

const theme = chooseTheme('plain', { noColor: true });

const graphemes = ['a', ' ', '漢', 'か', '한', 'é', '👍', '👩‍👩‍👧', '🇩🇪', 'ש', 'ل', '…', 'ﬀ'] as const;
/** Home and End are keys of lists. */
const [start, end] = [keys.ctrl('a'), keys.ctrl('e')];

const typing = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...graphemes) },
    { weight: 1, arbitrary: fc.constantFrom(keys.left, keys.right, keys.backspace, start, end) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** The keys' effect on a line, and the position of the cursor in it. */
function model(pressed: readonly string[]): { readonly before: string } {
  let [units, at]: [string[], number] = [[], 0];
  for (const key of pressed) {
    if (key === keys.left) at = Math.max(0, at - 1);
    else if (key === keys.right) at = Math.min(units.length, at + 1);
    else if (key === start) at = 0;
    else if (key === end) at = units.length;
    else if (key === keys.backspace) {
      if (at > 0) units = units.toSpliced(--at, 1);
    } else units = units.toSpliced(at++, 0, key);
  }
  return { before: units.slice(0, at).join('') };
}

/** Adjacent flags are joined again; the text buffer's own test covers that. */
const isSimple = (pressed: readonly string[]): boolean => pressed.filter((key) => key === '🇩🇪').length < 2;

test('in the filter of a list', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(typing.filter(isSimple), async (pressed) => {
      const screen = createScreen({ columns: 60, rows: 12, quietMs: 10 });
      const app = render(
        <SelectList
          title="Models"
          items={['one', 'two']}
          textOf={(item) => item}
          width={60}
          rows={8}
          theme={theme}
          onPick={() => {}}
          onCancel={() => {}}
        />,
        { ...screen, interactive: true, exitOnCtrlC: false, patchConsole: false, maxFps: 250 },
      );
      await screen.settle();
      for (const [at, key] of pressed.entries()) {
        await screen.press(key);
        const { before } = model(pressed.slice(0, at + 1));
        expect(screen.cursor()).toEqual({ x: 'Filter: '.length + stringWidth(before), y: 1 });
      }
      app.unmount();
    }),
    { numRuns: 8 },
  );
});

test('in the search of earlier prompts', { tags: 'long' }, async () => {
  const { screen } = await mountComposer({ columns: 80, entries: ['漢字 and more', 'a b'] });
  await screen.press(keys.ctrl('r'));
  let query = '';
  for (const grapheme of graphemes) {
    query += grapheme;
    await screen.press(grapheme);
    expect(screen.cursor()).toEqual({ x: 2 + 'search this project: '.length + stringWidth(query), y: 2 });
  }
});

test('with vim keys, on the character that a command affects', { tags: 'long' }, async () => {
  const { screen, rows } = await mountComposer({ vim: true, columns: 80 });
  await screen.press(graphemes.join(''), keys.escape, '0');
  let cells = 0;
  for (const grapheme of graphemes.slice(0, -1)) {
    expect(screen.cursor()).toEqual({ x: 2 + cells, y: 1 });
    cells += stringWidth(grapheme);
    await screen.press('l');
  }
  expect(rows()).toHaveLength(1);
});
