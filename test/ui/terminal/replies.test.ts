import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReplyFilter } from '../../../src/ui/terminal/terminalInput.ts';
import { cpuClock } from '../../cpuTime.ts';

type Reply = Parameters<Parameters<typeof createReplyFilter>[1]>[0];

function run(pieces: readonly string[]): { text: string; replies: Reply[] } {
  let text = '';
  const replies: Reply[] = [];
  const filter = createReplyFilter(
    (part) => {
      text += part;
    },
    (reply) => replies.push(reply),
  );
  for (const piece of pieces) filter.push(piece);
  filter.flush();
  return { text, replies };
}

test.each([
  [
    '\u001B]11;rgb:1e1e/1e1e/1e1e\u001B\\',
    { type: 'background', background: 'dark', color: 'rgb:1e1e/1e1e/1e1e' },
  ],
  ['\u001B]11;rgb:fd/f6/e3\u0007', { type: 'background', background: 'light', color: 'rgb:fd/f6/e3' }],
  [
    '\u001B]11;rgba:ffff/ffff/ffff/8000\u0007',
    { type: 'background', background: 'light', color: 'rgba:ffff/ffff/ffff/8000' },
  ],
  ['\u001B[?64;1;2;22c', { type: 'attributes' }],
  ['\u001B[?997;2n', { type: 'scheme', background: 'light' }],
  ['\u001B[?997;1n', { type: 'scheme', background: 'dark' }],
  ['\u001B[I', { type: 'focus', isFocused: true }],
  ['\u001B[O', { type: 'focus', isFocused: false }],
] as [string, Reply][])('%j is %j, however it is split, and not a key', (bytes, reply) => {
  for (let at = 2; at < bytes.length; at++)
    expect(run([`a${bytes.slice(0, at)}`, `${bytes.slice(at)}b`])).toEqual({ text: 'ab', replies: [reply] });
});

test.each([
  ['\u001B]10;rgb:0/0/0\u0007'],
  ['\u001B]11;nonsense\u0007'],
  ['\u001B]99;i=clawdcode;\u001B\\'],
  ['\u001B]4;1;rgb:ff/ff/ff\u0007'],
  [`\u001B]52;c;${'QUJD'.repeat(500)}\u001B\\`],
  ['\u001B[>0;276;0c'],
  ['\u001BP1$r0m\u001B\\'],
  ['\u001BP>|tmux 3.4\u001B\\'],
  ['\u001BP1+r544e=787465726d\u001B\\'],
  ['\u001B_Gi=1;OK\u001B\\'],
])('%j is a reply for another program and not a key', (bytes) => {
  expect(run(['x', bytes, 'y'])).toEqual({ text: 'xy', replies: [] });
  for (const at of [2, 3, 5, bytes.length - 1])
    expect(run([`x${bytes.slice(0, at)}`, `${bytes.slice(at)}y`])).toEqual({ text: 'xy', replies: [] });
});

test.each([
  ['an arrow', '\u001B[A'],
  ['an arrow in application mode', '\u001BOA'],
  ['escape', '\u001B'],
  ['Alt and a bracket', '\u001B]'],
  ['Alt and the other bracket', '\u001B['],
  ['Alt and P', '\u001BP'],
  ['Alt and P, then words', '\u001BPage'],
  ['Alt and an underscore', '\u001B_'],
  ['the kitty reply, which is for Ink', '\u001B[?1u'],
  ['a report of another mode', '\u001B[?2026;2n'],
  ['a paste', '\u001B[200~I [O text\u001B[201~'],
  ['text that looks like one', '11;rgb:00/00/00'],
])('%s passes unchanged', (_, keys) => {
  expect(run([keys])).toEqual({ text: keys, replies: [] });
  expect(run([...keys])).toEqual({ text: keys, replies: [] });
});

test('replies among typed keys are removed, and keys stay in order', () => {
  const key = fc.constantFrom(
    'a',
    'é',
    '漢',
    '\r',
    '\u001B[A',
    '\u001B[13;2u',
    '\u001BOP',
    '\t',
    '\u001B[200~x\u001B[201~',
  );
  const reply = fc.constantFrom(
    '\u001B[I',
    '\u001B[O',
    '\u001B[?62c',
    '\u001B]11;rgb:0/0/0\u0007',
    '\u001B[?997;1n',
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          key.map((text) => ({ text, isKey: true })),
          reply.map((text) => ({ text, isKey: false })),
        ),
      ),
      fc.array(fc.nat({ max: 20 })),
      (sent, cuts) => {
        const all = sent.map(({ text }) => text).join('');
        const pieces: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          // Nothing is split after a lone escape: that is a separate key.
          const to = all[at + cut - 1] === '\u001B' ? at + cut + 1 : at + cut;
          pieces.push(all.slice(at, to));
          at = to;
        }
        pieces.push(all.slice(at));
        const { text, replies } = run(pieces.filter((piece) => piece !== ''));
        expect(text).toBe(
          sent
            .filter(({ isKey }) => isKey)
            .map((one) => one.text)
            .join(''),
        );
        expect(replies).toHaveLength(sent.filter(({ isKey }) => !isKey).length);
      },
    ),
  );
});

test('text that only starts like a reply is held for a moment and then passed', async () => {
  let text = '';
  const filter = createReplyFilter(
    (part) => {
      text += part;
    },
    () => undefined,
  );
  filter.push('\u001B[');
  expect(text).toBe('');
  await expect.poll(() => text).toBe('\u001B[');
});

test('a ten-megabyte paste that starts like a reply is not held back or searched repeatedly', () => {
  const paste = `\u001B]11;${'x'.repeat(10_000_000)}`;
  const spentMs = cpuClock();
  expect(run([paste]).text).toBe(paste);
  expect(spentMs()).toBeLessThan(2000);
});

test.each([
  ['rgb:0/0/0', 'dark'],
  ['rgb:ffff/ffff/ffff', 'light'],
  ['rgb:0000/2b2b/3636', 'dark'],
  ['#eff1f5', 'light'],
  ['rgb:7070/7070/7070', 'dark'],
  ['rgb:8080/8080/8080', 'light'],
  ['red', undefined],
  ['rgb:zz/00/00', undefined],
  ['rgb:00000/0/0', undefined],
])('%s is %s', (color, background) => {
  const { replies } = run([`\u001B]11;${color}\u0007`]);
  expect(replies).toEqual(background === undefined ? [] : [{ type: 'background', background, color }]);
});
