import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { loadMarkdown, plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { textParts } from '../../../src/ui/transcript/parts.ts';
import { Transcript } from '../../../src/ui/transcript/Transcript.ts';
import { cpuClock } from '../../cpuTime.ts';
import { call, entry, prompt, reply, result } from './entries.ts';

type TranscriptPorts = ConstructorParameters<typeof Transcript>[2];

const theme = chooseTheme('plain', { noColor: true });
const sized = (width: number, height: number) => ({ width, height, theme, markdown: plainMarkdown });

function open(entries: readonly JSONLEntry[], width = 40, height = 8, more: Partial<TranscriptPorts> = {}) {
  return new Transcript(entries, sized(width, height), {
    older: () => Promise.resolve([]),
    original: () => Promise.resolve(undefined),
    pause: () => new Promise((done) => setImmediate(done)),
    now: () => performance.now(),
    changed: () => undefined,
    ...more,
  });
}

const shown = (transcript: ReturnType<typeof open>): string[] =>
  transcript.rows().map((row) => stripVTControlCharacters(row));

const talk = (turns: number): JSONLEntry[] =>
  Array.from({ length: turns }, (_, turn) => [
    prompt(2 * turn, `question ${turn}`),
    reply(2 * turn + 1, `answer ${turn}\n\nand more of it`),
  ]).flat();

test('a user’s command shows its output, not the note for the model', () => {
  const head = 'The user ran a command in the shell:\n$ ls\n\n';
  const ran = entry(0, {
    type: 'user',
    subtype: 'shell',
    message: { role: 'user', content: `${head}one\ntwo` },
    data: { command: 'ls', outputAt: head.length },
  });
  expect(shown(open([ran])).map((row) => row.trimEnd())).toEqual(['! ls', '', '  ⎿ one', '    two', '']);
});

test('everything in a turn is unfolded', () => {
  const output = Array.from({ length: 30 }, (_, line) => `output ${line}`).join('\n');
  const diff = `--- a/x\n+++ b/x\n@@ -1,1 +1,80 @@\n${Array.from({ length: 80 }, (_, line) => `+added ${line}`).join('\n')}\n`;
  const transcript = open(
    [
      entry(0, {
        type: 'user',
        subtype: 'prompt',
        message: { role: 'user', content: 'look at:\nthe pasted\ntext' },
        data: { display: 'look at: [pasted 2 lines]' },
      }),
      reply(1, 'I will.', 'a long thought'),
      call(2, 'c1', 'Bash', { command: 'first\nsecond', description: 'both' }),
      result(3, 'c1', output, { name: 'Bash', kind: 'command', display: { title: 'first' } }),
      result(4, 'c2', 'ok', { name: 'Edit', kind: 'edit', display: { title: 'x', diff } }),
    ],
    60,
    400,
  );
  const text = shown(transcript).join('\n');
  for (const wanted of [
    'the pasted',
    'a long thought',
    'second',
    'description: both',
    'output 0',
    'output 29',
  ])
    expect(text).toContain(wanted);
  for (const line of [0, 40, 79]) expect(text).toContain(`+ added ${line}`);
  expect(text).not.toMatch(/… \+?\d+/);
});

test('the answer of a subagent is rendered as Markdown', async () => {
  const answer = result(0, 'c1', '## Found\n\nIt is **here**.', {
    name: 'Agent',
    display: { title: 'explore: x', agent: { id: 'a1', name: 'explore' } },
  });
  const transcript = open([answer]);
  transcript.resize({ ...sized(40, 8), markdown: await loadMarkdown() });
  expect(shown(transcript).map((row) => row.trimEnd())).toEqual([
    ...['● Agent(explore: x)', '  ⎿ ## Found', '', '    It is here.', ''],
  ]);
});

test('it starts at the end and follows new entries', () => {
  const transcript = open(talk(10));
  expect(shown(transcript).at(-2)).toBe('and more of it');
  transcript.append(prompt(20, 'the newest'));
  expect(shown(transcript)).toContain('> the newest');
  transcript.scroll(-3);
  const before = shown(transcript);
  transcript.append(reply(21, 'one\ntwo\nthree\nfour'));
  expect(shown(transcript)).toEqual(before);
  expect(transcript.isAtEnd()).toBe(false);
  transcript.toEnd();
  expect(shown(transcript)).toContain('four');
});

test('streaming output is at the bottom, and is replaced by its entry', () => {
  const transcript = open(talk(3));
  transcript.setLive(textParts('streaming now', {}));
  expect(shown(transcript)).toContain('streaming now');
  transcript.setLive([]);
  transcript.append(reply(6, 'streaming now, and done'));
  expect(shown(transcript).filter((row) => row.startsWith('streaming'))).toEqual(['streaming now, and done']);
});

test('at any position, the rows match the full text', () => {
  const entries = talk(12);
  const whole = shown(open(entries, 30, 1000));
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      (moves, height) => {
        const transcript = open(entries, 30, height);
        let top = whole.length - height;
        for (const by of moves) {
          transcript.scroll(by);
          top = Math.min(Math.max(0, top + by), whole.length - height);
          expect(shown(transcript)).toEqual(whole.slice(top, top + height));
        }
      },
    ),
  );
});

test('no row is wider than the terminal', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 8, max: 60 }), (parts, width) => {
      const entries = parts.flatMap((text, index) => [
        prompt(3 * index, text),
        reply(3 * index + 1, text, text),
        result(3 * index + 2, `c${index}`, text, { name: 'Bash', kind: 'command', display: { title: text } }),
      ]);
      for (const row of open(entries, width, 500).rows()) expect(textWidth(row)).toBeLessThanOrEqual(width);
    }),
  );
});

test('matches are found forward and backward, and counted', async () => {
  const transcript = open(talk(10), 40, 6);
  await transcript.toStart();
  await transcript.search(1, 'answer');
  expect(transcript.message()).toBe('match 1 of 10');
  await transcript.search(1);
  await transcript.search(1);
  expect(transcript.message()).toBe('match 3 of 10');
  expect(shown(transcript)).toContain('answer 2');
  await transcript.search(-1);
  expect(transcript.message()).toBe('match 2 of 10');
  await transcript.search(-1, 'nowhere');
  expect(transcript.message()).toBe('not found');
  transcript.toEnd();
  await transcript.search(-1, 'question');
  expect(transcript.message()).toBe('match 10 of 10');
  await transcript.search(1);
  expect(transcript.message()).toBe('no later match');
});

test('a search without a match in its direction tries the other, because the view opens at the end', async () => {
  const transcript = open(talk(10), 40, 6);
  transcript.toEnd();
  await transcript.search(1, 'question 2');
  expect(transcript.message()).toBe('match 1 of 1');
  expect(shown(transcript)).toContain('> question 2');
});

test('the current match is on screen and marked differently from the others', async () => {
  const transcript = open(talk(10), 40, 6);
  await transcript.toStart();
  await transcript.search(1, 'more');
  await transcript.search(1);
  const marked = transcript.rows().filter((row) => row.includes('\u001B[7'));
  expect(marked.some((row) => row.includes('\u001B[7;4mmore'))).toBe(true);
});

test('a key jumps to the next or previous prompt', async () => {
  const transcript = open(talk(10), 40, 4);
  for (const wanted of [9, 8, 7]) {
    await transcript.toPrompt(-1);
    if (wanted < 9) expect(shown(transcript)[0]).toBe(`> question ${wanted}`);
  }
  await transcript.toPrompt(1);
  expect(shown(transcript)[0]).toBe('> question 8');
  await transcript.toStart();
  await transcript.toPrompt(-1);
  expect(transcript.message()).toBe('no earlier prompt');
});

test('older history is loaded when needed, without a jump', async () => {
  const all = talk(400);
  let asked = 0;
  const transcript = open(all.slice(-300), 40, 10, {
    older: async (before) => {
      asked += 1;
      return all.filter(({ seq }) => seq < before).slice(-100);
    },
  });
  shown(transcript);
  expect(asked).toBe(0);
  transcript.scroll(-1150);
  const here = shown(transcript);
  await expect.poll(() => asked).toBe(1);
  await new Promise((done) => setTimeout(done, 20));
  expect(shown(transcript)).toEqual(here);
  await transcript.toStart();
  expect(shown(transcript)[0]).toBe('> question 0');
  expect(asked).toBe(5);
  transcript.toEnd();
  await transcript.search(-1, 'question 3');
  expect(transcript.message()).toMatch(/of 111$/);
});

test('a match in older history is found before it has been shown', async () => {
  const all = [prompt(0, 'needle'), ...talk(200).map((one) => ({ ...one, seq: one.seq + 1 }))];
  const transcript = open(all.slice(-50), 40, 10, {
    older: async (before) => all.filter(({ seq }) => seq < before).slice(-100),
  });
  await transcript.search(-1, 'needle');
  expect(shown(transcript)).toContain('> needle');
});

test('the full text of a shortened output is read when it is viewed', async () => {
  const whole = Array.from({ length: 2000 }, (_, line) => `line ${line}`).join('\n');
  const shortened = result(1, 'c', 'line 0\n…\nline 1999', {
    name: 'Bash',
    kind: 'command',
    display: { title: 'many' },
    original: { hash: 'h', bytes: whole.length },
  });
  const entries = [prompt(0, 'go'), shortened, ...talk(30).map((one) => ({ ...one, seq: one.seq + 2 }))];
  let read = 0;
  const transcript = open(entries, 40, 10, {
    original: async ({ hash }) => {
      read += 1;
      return hash === 'h' ? whole : undefined;
    },
  });
  shown(transcript);
  expect(read).toBe(0);
  await transcript.search(-1, 'line 1234');
  expect(shown(transcript).join('\n')).toContain('line 1234');
  expect(read).toBe(1);
  // Coming from below, its end is reached first.
  const other = open(entries.slice(0, 2), 40, 3, { original: async () => whole });
  await expect.poll(() => shown(other).join('\n')).toContain('line 1999');
  other.scroll(-1);
  expect(shown(other)[2]).toContain('line 1999');
});

test('at another width, the view stays at the same text', () => {
  const transcript = open(talk(40), 40, 10);
  transcript.scroll(-100);
  const [before = ''] = shown(transcript).filter((row) => /\d/.test(row));
  transcript.resize(sized(12, 5));
  transcript.resize(sized(40, 10));
  expect(shown(transcript)).toContain(before);
});

test('10,000 messages and 5 MB of output open without delay', () => {
  const huge = 'a line of output that is about sixty characters long, or so\n'.repeat(85_000);
  const entries = [
    ...talk(5000),
    result(10_000, 'c', huge, { name: 'Bash', kind: 'command', display: { title: 'x' } }),
  ];
  const spentMs = cpuClock();
  const transcript = open(entries, 100, 40);
  shown(transcript);
  transcript.scroll(-500);
  shown(transcript);
  // A few milliseconds; the ceiling leaves room for a busy machine.
  expect(spentMs()).toBeLessThan(5000);
});

test('model output cannot control the terminal', () => {
  const evil = '\u001B]0;owned\u0007\u001B[2Jx\u009b31m\r\u0008';
  const rows = open(
    [prompt(0, evil), reply(1, evil, evil), result(2, 'c', evil, { display: { title: evil } })],
    30,
    50,
  ).rows();
  expect(rows.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
