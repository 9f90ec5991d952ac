/**
 * The context shown and edited: the table, the list of items, a preview, its compaction, and undoing it.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { resizeDrawn } from './support/resizing.ts';
import type { ModelServer, WireRequest } from './support/server.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';
import { expectPairedCalls } from './support/wire.ts';

const WINDOW = ['--context-window', '16000'];
/** Enough for everything that is read. */
const ROOMY = ['--context-window', '20000'];
const STEPS = 12;
const summary = `1. Primary request and intent
Read the whole parser. The user said: "leave nothing out".
2. Key technical decisions
The table stays in lib/ghost.js.
3. Files modified
None.
4. Errors encountered and fixes
None.
5. Current work status
Reading is done.
6. Pending tasks
None.`;

test(
  'after a long task /context shows what was summarized, what fills the window, and what happens next',
  long,
  async () => {
    const { server, ready } = await setUpProgram();
    longTask(server);
    const terminal = await ready(WINDOW, { columns: 80 });
    await readAll(terminal);
    expect(terminal.everything()).toMatch(/◆ Conversation compacted: [\d.k]+ → [\d.k]+ tokens · automatic/);

    await terminal.submit('/context');
    await terminal.waitFor('/context items pins');
    const shown = terminal.everything();
    const used = Number(/Context: ~?([\d,]+) of 16,000/.exec(shown)?.[1]?.replaceAll(',', ''));
    const rows = [...shown.matchAll(/^ {2}[█▓▚▄▌▖▒▀▝·░] (\S.*?) +([\d,]+) +<?[\d.]+ %/gm)];
    const sizes = new Map(
      rows.map(([, name = '', tokens = '']) => [name, Number(tokens.replaceAll(',', ''))]),
    );
    expect([...sizes.keys()]).toEqual(
      expect.arrayContaining([
        'tools',
        'system',
        'summary',
        'history',
        'input',
        'free until compaction',
        'reserves',
      ]),
    );
    const all = [...sizes.values()].reduce((sum, tokens) => sum + tokens, 0);
    expect(all).toBe(16_000);
    expect(all - (sizes.get('free until compaction') ?? 0) - (sizes.get('reserves') ?? 0)).toBe(used);
    expect(shown).toMatch(/^ {2}c compacts at 11k · r drops oldest at 14.4k · x hard limit 15k$/m);
    expect(shown).toMatch(/^Next: a summary replaces the older messages, at 11,000 tokens/m);
    expect(shown).toMatch(/^Compaction starts at 68\.8 % instead of 80 %: 4,000 tokens are reserved/m);
    expect(shown).toMatch(/^Reductions: \d+ \(summary \d+\), [\d,]+ tokens saved/m);
    // The status line has the same share of the same window.
    await terminal.waitFor(`context ~${Math.round((used / 16_000) * 100)}% of 16k`);

    await resizeDrawn(terminal, 40, 40);
    await terminal.submit('/context');
    await terminal.waitFor(/^ {2}· free +[\d,]+ +[\d.]+ %$/m);
    for (const row of terminal.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(40);
    expect(terminal.screen()).toMatch(/^ {2}[█▓▚▄▌▖▒▀▝·░]{36}$/m);
  },
);

test('an item is dropped and restored in the list, and the next request reflects it', long, async () => {
  const { server, ready } = await setUpProgram();
  longTask(server);
  const terminal = await ready(WINDOW, { columns: 80 });
  await readAll(terminal);
  await terminal.submit('/context items');
  await terminal.waitFor(/1 of \d+ · p pin/);
  await terminal.press('/', ...'offset');
  await terminal.waitFor('Filter: offset');
  await terminal.press(keys.escape);
  await terminal.waitForGone('Filter');
  await terminal.press('/');
  await terminal.waitFor('Filter:');
  await terminal.type('Part 12');
  await terminal.waitFor(/❯ .*sent .*Part 12/);
  await terminal.press(keys.enter, 'd');
  await terminal.waitFor(/❯ .*removed .*Part 12/);
  await terminal.waitForPrinted(/◇ Left out 1 item as you asked \([\d.k]+ → [\d.k]+ tokens\)/);
  await terminal.press(keys.escape, keys.escape);
  await terminal.waitForGone('p pin');
  await terminal.submit('short?');
  await terminal.waitForPrinted('Short answer 1.');
  await terminal.waitForIdle();
  expect(JSON.stringify(server.requests().at(-1)?.messages)).not.toContain('"Part 12.');

  await terminal.submit('/context items');
  await terminal.waitFor(/1 of \d+ · p pin/);
  await terminal.press('/');
  await terminal.waitFor('Filter:');
  await terminal.type('Part 12');
  await terminal.waitFor(/❯ .*removed .*Part 12/);
  await terminal.press(keys.enter, 'r');
  await terminal.waitFor(/❯ .*sent .*Part 12/);
  await terminal.press('p');
  await terminal.waitFor(/❯ \*.*sent .*Part 12/);
  await terminal.press(keys.escape, keys.escape);
  // A key right after Esc is taken for Alt with that key.
  await terminal.waitForGone('p pin');
  await terminal.submit('short again?');
  await terminal.waitForPrinted('Short answer 2.');
  const last = server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
  expect(JSON.stringify(last.messages)).toContain('"Part 12.');
  expectTried(terminal, 'items:filter', 'items:drop', 'items:restore', 'items:pin');
});

test(
  'a preview changes nothing, /compact applies exactly that preview, --diff shows it, /uncompact undoes it',
  long,
  async () => {
    const { server, work, ready } = await setUpProgram();
    longTask(server);
    const terminal = await ready(ROOMY, { columns: 100, rows: 60 });
    await readAll(terminal);
    await terminal.submit('short?');
    await terminal.waitForPrinted('Short answer 1.');
    await terminal.waitForIdle();
    const before = server.requests().at(-1);
    const asked = server.requests().length;

    await terminal.submit('/compact --preview');
    await terminal.waitForPrinted(/Preview: compaction would take the context from [\d,]+ to [\d,]+ tokens/);
    await terminal.waitForPrinted('/compact applies exactly this');
    const sizes = /from ([\d,]+) to ([\d,]+) tokens/.exec(terminal.everything());
    expect(terminal.everything()).toContain('lib/ghost.js (unverified)');
    expect(terminal.everything()).toMatch(/Paths that do not occur in this session[^\n]*lib\/ghost\.js/);
    expect(terminal.everything()).toMatch(/Kept verbatim: \d+ items/);
    expect(server.requests()).toHaveLength(asked + 1);
    const entries = async () => (await work.sessions())[0]?.entries ?? [];
    expect((await entries()).some(({ subtype }) => subtype === 'compact_boundary')).toBe(false);

    await terminal.submit('/compact');
    await terminal.waitForPrinted('Conversation compacted');
    await terminal.waitForIdle();
    // The preview's summary was used: no other one was requested.
    expect(server.requests()).toHaveLength(asked + 1);
    const boundary = (await entries()).find(({ subtype }) => subtype === 'compact_boundary');
    const promised = Number(sizes?.[2]?.replaceAll(',', ''));
    expect(boundary?.compactMetadata?.postTokens).toBeGreaterThan(promised * 0.95);
    expect(boundary?.compactMetadata?.postTokens).toBeLessThan(promised * 1.05);

    await terminal.submit('/compact --diff');
    await terminal.waitForPrinted(/The last compaction \(#\d+, \/compact\): [\d,]+ → [\d,]+ tokens/);
    await terminal.waitForPrinted(/− Replaced by the summary: \d+ items?/);

    await terminal.submit('/uncompact');
    await terminal.waitForPrinted(/The last compaction was undone\.[\s\S]*→ [\d,]+\s+tokens\)/);
    await terminal.submit('short again?');
    await terminal.waitForPrinted('Short answer 2.');
    const after = server.requests().at(-1);
    expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    await terminal.submit('/context');
    await terminal.waitForPrinted(/summary · \/compact[^\n]*· undone/);
  },
);

test('without a screen the same commands print their results', long, async () => {
  const { server, work, print } = await setUpProgram();
  longTask(server);
  const first = await print(['-p', 'Read the whole parser and leave nothing out', ...ROOMY]);
  expect(first.code).toBe(0);
  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  const again = (prompt: string, ...args: string[]) =>
    print(['-p', '--resume', id, prompt, ...ROOMY, ...args]);

  const table = await again('/context');
  expect(table.stdout).toMatch(/^Context: ~?[\d,]+ of 20,000 tokens[\s\S]*^Next: /m);
  expect((await again('/context items')).stdout).toMatch(/^\d+ items: [\s\S]*^ {2}#1 +prompt +sent/m);
  expect((await again('/context settings')).stdout).toMatch(/context\.mask\.at +[\d.]+ +default/);
  const report = JSON.parse((await again('/context --json')).stdout);
  const result = JSON.parse((await again('/context', '--output-format', 'json')).stdout);
  expect(result.context_usage).toMatchObject({
    used_tokens: report.measure.usedTokens,
    parts: report.measure.parts,
    masks_at: null,
    limit: report.marks.limit,
    reductions: report.reductions.length,
    next: { at_tokens: report.next.atTokens },
  });

  const preview = await again('/compact --preview');
  expect(preview).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing has changed') });
  expect((await again('/compact --diff')).stdout).toContain('There is no compaction');
  expect((await again('/compact')).stdout).toMatch(/Compacted from \d+ to \d+ tokens/);
  expect((await again('/compact --diff')).stdout).toMatch(/Replaced by the summary: \d+ items?/);
  expect((await again('/uncompact')).stdout).toMatch(/undone.*From \d+ to \d+ tokens/);
  expect(await again('/uncompact')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no compaction'),
  });
});

/** Reads the parser in parts, then says that it is done; a short question gets a short reply. */
function longTask(server: ModelServer): void {
  let [step, answers] = [0, 0];
  server.otherwise((request) => {
    if (isSummary(request)) return { text: summary };
    if (lastText(request).includes('short')) return { text: `Short answer ${++answers}.` };
    step++;
    if (step > STEPS) return { text: 'All of it is read.' };
    return {
      text: `Part ${step}.`,
      calls: [{ name: 'Read', input: { file_path: 'lib/parse.js', offset: (step - 1) * 80 + 1, limit: 80 } }],
    };
  });
}

async function readAll(terminal: Terminal): Promise<void> {
  await terminal.submit('Read the whole parser and leave nothing out');
  await terminal.waitForPrinted('All of it is read.', 60_000);
  await terminal.waitForIdle();
}

function lastText(request: WireRequest): string {
  const { role, content } = request.messages.at(-1) ?? {};
  return role === 'user' && typeof content === 'string' ? content : '';
}

function isSummary(request: WireRequest): boolean {
  return request.tool_choice === 'none';
}
