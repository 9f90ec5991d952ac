import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import { PIECE_CHARACTERS } from '../../../src/ui/controller/printQueue.ts';
import { createSessionStore } from '../../../src/ui/controller/sessionStore.ts';
import type { Print } from '../../../src/ui/controller/view.ts';
import { splitFinished } from '../../../src/ui/print/streaming.ts';

function createStage(tooTall: (tail: string) => boolean) {
  let tell: (event: AgentEvent) => void = () => undefined;
  const agent = {
    state: () => ({ busy: false, questions: [] }),
    subscribe(listener: typeof tell) {
      tell = listener;
      return () => undefined;
    },
  } as unknown as Agent;
  const printed: (readonly Print[])[] = [];
  const store = createSessionStore(agent, {
    print: (prints) => printed.push(prints),
    split: splitFinished,
    tooTall,
    now: () => performance.now(),
  });
  return { store, printed, tell: (event: AgentEvent) => tell(event) };
}

const text = (prints: readonly Print[]): string =>
  prints.map((print) => (print.type === 'markdown' ? print.text : '')).join('');
const paragraphs = Array.from({ length: 400 }, (_, index) => `Paragraph ${index} ${'word '.repeat(20)}\n\n`);
const reply = (content: string): AgentEvent => ({
  type: 'entry',
  entry: { type: 'assistant', message: { role: 'assistant', content } } as unknown as JSONLEntry,
});

test('a reply that arrives in one piece is printed in parts, with pauses in between', async () => {
  const { printed, tell } = createStage((tail) => tail.length > 500);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  for (const delta of paragraphs) tell({ type: 'text_delta', text: delta });
  tell(reply(paragraphs.join('')));
  const length = paragraphs.join('').length;
  while (text(printed.flat()).length < length - 2) await pause(5);
  clearInterval(counting);
  expect(text(printed.flat())).toBe(paragraphs.join(''));
  expect(printed.length).toBeGreaterThanOrEqual(length / PIECE_CHARACTERS);
  expect(turns).toBeGreaterThanOrEqual(printed.length / 2);
});

test('once the beginning of a reply is printed, each further block follows as soon as it is finished', async () => {
  const { store, printed, tell } = createStage((tail) => tail.length > 100);
  tell({ type: 'text_delta', text: 'Short.\n\nStill short.' });
  await pause(100);
  expect(printed).toEqual([]);
  tell({ type: 'text_delta', text: ` ${'long '.repeat(30)}\n\nNext` });
  await pause(100);
  tell({ type: 'text_delta', text: ' block.\n\nLast' });
  await pause(100);
  expect(text(printed.flat())).toMatch(/^Short\.[\s\S]*Next block\.\n\n$/);
  expect(store.getView().tail).toBe('Last');
});

test('queued output is printed before the session is closed', () => {
  const { store, printed, tell } = createStage(() => true);
  for (const delta of paragraphs) tell({ type: 'text_delta', text: delta });
  store.dispose();
  expect(text(printed.flat()) + store.getView().tail).toBe(paragraphs.join(''));
});
