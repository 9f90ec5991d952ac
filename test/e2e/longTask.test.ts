/**
 * A task that outgrows its window many times, as a user experiences it: the work, the context page, a preview, the
 * compaction, undoing it, exiting, and the prompt that continues the same day.
 *
 * @module-tag long
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { keys } from '../ui/screen.ts';
import { long } from './support/long.ts';
import type { ModelServer, ScriptedReply, WireRequest } from './support/server.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';
import { countRequest } from './support/tokens.ts';
import { expectPairedCalls } from './support/wire.ts';

const WINDOW = 16_000;
const args = ['--context-window', String(WINDOW)];
const size = { columns: 100, rows: 60 };
const topics = [
  'braces',
  'brackets',
  'globstars',
  'negation',
  'slashes',
  'quotes',
  'dots',
  'groups',
  'posix',
];
const last = 'posix';

const ways = [
  // On loopback the turn waits for a summary, unless drafts are requested.
  { way: 'as it is by default', context: {}, ledgers: 0, summaries: 4 },
  // Steps this fast may overtake a draft: then some of them become lines.
  { way: 'with drafts', context: { threadSummary: 'on' }, ledgers: undefined, summaries: 4 },
  { way: 'in economy', context: { strategy: 'economy', threadSummary: 'on' }, ledgers: 2, summaries: 1 },
];
// A task in 8,000 tokens is in `acceptance/compaction/automatic.test.ts`.
for (const row of ways)
  test(`a task of nine prompts completes in 16,000 tokens, ${row.way}`, { tags: 'long' }, async () => {
    const { context, ledgers, summaries } = row;
    const { server, work, ready } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    await writeFile(join(work.data, 'config.json'), JSON.stringify({ context }));
    playTheModel(server);
    const terminal = await ready(args, size);
    for (const topic of topics) {
      await terminal.press(keys.paste(promptAbout(topic)), keys.enter);
      await terminal.waitForPrinted(`Findings about ${topic} end here.`, 30_000);
      await terminal.waitForIdle();
    }
    const asked = server.requests();
    expectSound(asked);
    const entries = async () => (await work.sessions())[0]?.entries ?? [];
    const made = reductions(await entries());
    if (ledgers !== undefined) {
      expect(made.filter((one) => one === 'ledger').length).toBeGreaterThanOrEqual(ledgers);
      expect(ledgers === 0).toBe(!made.includes('ledger'));
    }
    expect(made.filter((one) => one === 'summary').length).toBeGreaterThanOrEqual(summaries);
    // Each of them is one line.
    const told = terminal.everything().match(/^(◇|◆) .*→.*tokens/gm);
    expect(told).toHaveLength(made.length);
    expectNoRuins(terminal);

    await terminal.submit('/context');
    await terminal.waitFor('/context items pins');
    const used = usedIn(terminal);
    await statusLineSays(terminal, used);
    expect(savedIn(terminal.screen())).toBe(savedBy(await entries()));

    await terminal.submit('/context items');
    await terminal.waitFor(/1 of \d+ · p pin · d drop · r restore/);
    expect(terminal.screen()).toMatch(
      /^─ Context items ─+\n~[\d.]+k of 16k \(compacts at 11k\) · ● \d+ sent/m,
    );
    expect(terminal.screen()).toMatch(/^❯ {2}● +#\d+ reply +sent +\d+ {2}- Case 1: the parser decides/m);
    await terminal.press(keys.escape);
    await terminal.waitForGone('p pin');
    expectNoRuins(terminal);

    await terminal.submit('/compact --preview');
    await terminal.waitFor('/compact applies exactly this summary');
    const promised = /Preview: compaction would take the context from ([\d,]+) to ([\d,]+) tokens/.exec(
      terminal.everything(),
    );
    expect(number(promised?.[1])).toBe(used);
    expect(terminal.screen()).toMatch(
      /Nothing is lost: your messages and all changed files are kept\.|\d+ details? omitted/,
    );
    expect(reductions(await entries())).toEqual(made);
    await statusLineSays(terminal, used);

    await terminal.submit('/compact --diff');
    if (made.includes('summary'))
      await terminal.waitForPrinted(/The last compaction \(#\d+, the window filled up\): /);

    await terminal.submit('/compact');
    await terminal.waitFor(/◆ Conversation compacted: [\d.]+k → [\d.]+k tokens · [\d.]+s/);
    await terminal.waitForIdle();
    const left = number(promised?.[2]);
    await terminal.until(
      () => Math.abs(share(terminal) - (left / WINDOW) * 100) < 2,
      'the status line has what is left',
    );
    await terminal.submit('/compact --diff');
    await terminal.waitForPrinted(/The last compaction \(#\d+, \/compact\): [\d,]+ → [\d,]+ tokens/);
    expect(terminal.screen()).toContain('/uncompact undoes it; /context items restores single items.');

    await terminal.submit('/uncompact');
    await terminal.waitFor('· The last compaction was undone.');
    await statusLineSays(terminal, used);
    expectNoRuins(terminal);

    await terminal.press(keys.ctrl('c'));
    await terminal.waitFor('Press Ctrl+C again to exit');
    await terminal.pressUntil(keys.ctrl('c'));
    expect(await terminal.exited).toBe(0);
    const id = (await entries())[0]?.sessionId;
    expect(terminal.everything().split('\n').at(-1)).toBe(
      `Resume this session with: clawdcode --resume ${id}`,
    );
    expect(terminal.everything()).not.toContain('Press Ctrl+C again');

    const again = await ready([...args, '--continue'], size);
    await again.waitFor(/◇ Undone: the last compaction\n\n❯ Ask for something/);
    // Undone steps no longer count, and are not shown again.
    expect(again.screen()).toContain(`Findings about ${last} end here.\n\n◇ Undone: the last compaction`);
    await statusLineSays(again, used);
    expectNoRuins(again);
    await again.submit('go on');
    await again.waitFor('On it goes.');
    // The last question, its reply, and the new prompt: no trace of anything in between.
    const before = asked.findLast((request) => !isSummary(request));
    const next = server.requests().at(-1);
    expect(next?.tools).toEqual(before?.tools);
    expect(next?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(next?.messages.slice(before?.messages.length)).toEqual([
      { role: 'assistant', content: findings(last) },
      { role: 'user', content: 'go on' },
    ]);
    expectSound(server.requests());
  });

/** A prompt of a realistic size, with a rule in it. */
function promptAbout(topic: string): string {
  const points = [
    'does',
    'remembers',
    'says of an error',
    'promises',
    'does on Windows',
    'is slow with',
    'forgets',
  ];
  const wanted = points.map(
    (what) => `As for ${topic}, tell me what the parser ${what}, in which line, and what a test has to show.`,
  );
  return `Look into how ${topic} are handled. ${wanted.join(' ')} Never write a file about ${topic} without asking me first.`;
}

/** Continues reading, a few steps per prompt; the last prompt is answered only when there is room again. */
function playTheModel(server: ModelServer): void {
  let [step, line, before] = [0, 1, 0];
  server.otherwise((request) => {
    if (isSummary(request)) return { text: summaryOf(request) };
    if (request.messages.at(-1)?.content === 'go on') return { text: 'On it goes.' };
    const tokens = countRequest(request);
    const hasRoom = tokens < before;
    before = tokens;
    const topic = topicsIn(request).at(-1) ?? '';
    if (step >= 4 && (topic !== last || hasRoom)) {
      step = 0;
      return { text: findings(topic) };
    }
    const input = { file_path: 'lib/parse.js', offset: line, limit: 110 };
    line = line > 1200 ? 1 : line + 110;
    return {
      text: `Step ${++step} on ${topic}: the next part of the parser.`,
      calls: [{ name: 'Read', input }],
    };
  });
}

function findings(topic: string): string {
  const cases = Array.from(
    { length: 9 },
    (_, index) =>
      `- Case ${index + 1}: the parser decides about ${topic} in \`parse\`, by the character before.`,
  );
  return `${cases.join('\n')}\n\nFindings about ${topic} end here.`;
}

/** What a good model writes: all six headings, and only what the conversation holds. */
function summaryOf(request: WireRequest): string {
  return `1. Primary request and intent
Say how these are handled: ${topicsIn(request).join(', ')}.
2. Key technical decisions
None yet.
3. Files modified
None.
4. Errors encountered and fixes
None.
5. Current work status
lib/parse.js is read 110 lines at a time.
6. Pending tasks
None.`;
}

function topicsIn({ messages }: WireRequest): string[] {
  const text = JSON.stringify(messages);
  return topics.filter((topic) => text.includes(`how ${topic} are handled`));
}

/**
 * Whatever was done to them, requests fit, have each call with its result, and contain the user's first rule and the
 * newest ones: a tenth of this window has room for some of them.
 */
function expectSound(requests: readonly WireRequest[]): void {
  let asked = 0;
  for (const request of requests) {
    expect(countRequest(request)).toBeLessThan(WINDOW);
    expectPairedCalls(request);
    if (isSummary(request)) continue;
    const text = JSON.stringify(request.messages);
    const known = topics.map((topic) => text.includes(`Never write a file about ${topic} `));
    asked = Math.max(asked, known.lastIndexOf(true) + 1);
    for (const topic of [0, asked - 2, asked - 1].filter((index) => index >= 0))
      expect([topics[topic], known[topic]]).toEqual([topics[topic], true]);
  }
  expect(asked).toBe(topics.length);
}

/** Everything was printed once, and redrawn parts are on the last rows only. */
function expectNoRuins(terminal: Terminal): void {
  const lines = terminal.everything().split('\n');
  expect(lines.filter((line) => line.startsWith('❯ '))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('mock-1 · '))).toHaveLength(1);
  expect(lines.filter((line) => /esc to interrupt|p pin · d drop/.test(line))).toEqual([]);
  const counts = topics.map((topic) => lines.filter((line) => line === `Findings about ${topic} end here.`));
  for (const count of counts.slice(0, -1)) expect(count.length).toBeLessThanOrEqual(1);
  expect(counts.at(-1)).toHaveLength(1);
}

function reductions(entries: readonly JSONLEntry[]): string[] {
  return entries.flatMap(({ subtype, data }) => {
    if (subtype === 'compact_boundary') return ['summary'];
    return subtype === 'reduction' && data?.reason !== 'compaction' ? [String(data?.strategy)] : [];
  });
}

/** Tokens that all of them freed, each counted once. */
function savedBy(entries: readonly JSONLEntry[]): number {
  return entries.reduce((sum, { subtype, data, compactMetadata }) => {
    if (subtype === 'compact_boundary')
      return sum + (compactMetadata?.preTokens ?? 0) - (compactMetadata?.postTokens ?? 0);
    if (subtype !== 'reduction' || data?.reason === 'compaction') return sum;
    return sum + Number(data?.preTokens) - Number(data?.postTokens);
  }, 0);
}

function savedIn(screen: string): number {
  return number(/^Reductions: .*\), ([\d,]+) tokens saved$/m.exec(screen)?.[1]);
}

/** Percentage of the window, as in the status line. */
function share(terminal: Terminal): number {
  return Number(/context ~?(\d+)% of 16k/.exec(terminal.screen())?.[1]);
}

/** Drawn one frame after the printed text. */
function statusLineSays(terminal: Terminal, tokens: number): Promise<void> {
  const wanted = Math.round((tokens / WINDOW) * 100);
  return terminal.until(() => share(terminal) === wanted, `context ${wanted}% in the status line`);
}

function usedIn(terminal: Terminal): number {
  return number(/^Context: ~?([\d,]+) of 16,000 tokens/m.exec(terminal.everything())?.[1]);
}

function number(figure: string | undefined): number {
  return Number(figure?.replaceAll(',', ''));
}

function isSummary(request: WireRequest): boolean {
  return request.tool_choice === 'none';
}

const SOURCE = resolve(import.meta.dirname, '../../src');

test.each([
  // On loopback the turn waits for a summary, unless drafts are requested.
  { way: 'by default', settings: {} },
  { way: 'with drafts', settings: { context: { threadSummary: 'on' } } },
])(
  'three hundred steps in a real repository, in 128,000 tokens, keep every byte until the trigger, $way',
  { ...long, timeout: 120_000 },
  async ({ settings }) => {
    const window = 128_000;
    const trigger = 102_400;
    const { server, work, print } = await setUpProgram();
    await cp(SOURCE, join(work.repository, 'src'), { recursive: true });
    await mkdir(work.data, { recursive: true });
    await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
    server.otherwise(await playTheWorker(100));
    const args = ['-p', '--yolo', '--output-format', 'json', '--context-window', String(window)];
    for (const prompt of [['Read the engine and note what you find'], ['-c', 'Go on'], ['-c', 'The rest']]) {
      const printed = await print([...args, ...prompt]);
      expect(JSON.parse(printed.stdout)).toMatchObject({ is_error: false, result: 'So much is read.' });
    }

    const entries = (await work.sessions())[0]?.entries ?? [];
    expect(entries.filter(({ type }) => type === 'tool_result').length).toBe(300);
    expect(new Set(entries.map(({ toolResult }) => toolResult?.status))).toEqual(new Set([undefined, 'ok']));
    expect(reductions(entries).filter((one) => one !== 'summary')).toEqual([]);
    const boundaries = entries.filter(({ subtype }) => subtype === 'compact_boundary');
    expect(boundaries.length).toBeGreaterThan(0);
    for (const { compactMetadata } of boundaries) {
      expect(compactMetadata).toMatchObject({ trigger: 'auto', success: true, strategy: 'summary' });
      expect(compactMetadata?.preTokens).toBeGreaterThanOrEqual(trigger);
      expect(compactMetadata?.postTokens).toBeLessThan(0.75 * trigger);
      // Files were changed: one of them is quoted first.
      expect(compactMetadata?.filesIncluded?.[0]).toMatch(/^src\//);
    }

    const asked = server.requests().filter((request) => !isSummary(request));
    const sent = asked.map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    const isFirst = sent.map((text, index) => index > 0 && !text.startsWith(sent[index - 1] ?? ''));
    expect(isFirst.filter(Boolean)).toHaveLength(boundaries.length);
    // The last request before the first boundary contains every result so far, in full.
    const last = sent[isFirst.indexOf(true) - 1] ?? '';
    const results = entries.filter(
      ({ seq, toolResult }) => toolResult !== undefined && seq < (boundaries[0]?.seq ?? 0),
    );
    const missing = results.filter(
      ({ toolResult }) => !last.includes(JSON.stringify(toolResult?.output).slice(1, -1)),
    );
    expect(missing.length).toBeLessThanOrEqual(1);
    expect(results.length).toBeGreaterThan(100);
    // The part of all sent bytes that the provider's cache can serve.
    const all = sent.reduce((sum, text) => sum + text.length, 0);
    const again = sent.reduce((sum, text, index) => sum + sharedStart(text, sent[index - 1] ?? ''), 0);
    expect(again / all).toBeGreaterThan(0.985);
  },
);

/** Continues reading the files, edits them, and sometimes runs a command; this many steps per prompt. */
async function playTheWorker(stepsOfTurn: number): Promise<(request: WireRequest) => ScriptedReply> {
  const names = (await readdir(SOURCE, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(SOURCE, name), 'utf8')));
  const files = names.flatMap((name, index) => {
    const lines = (texts[index] ?? '').split('\n');
    const isUnique = lines.filter((line) => line.includes(lines[0] ?? '')).length === 1;
    return lines.length > 60 && lines.length < 400 && isUnique
      ? [{ path: `src/${name}`, first: lines[0] ?? '' }]
      : [];
  });
  let [step, left] = [0, stepsOfTurn];
  return (request) => {
    if (isSummary(request))
      return {
        text: '5. Current work status\nThe engine is being read; see the notes in the files.',
        ...SILENT,
      };
    if (left-- === 0) {
      left = stepsOfTurn;
      return { text: 'So much is read.', ...SILENT };
    }
    const n = step++;
    const { path, first } = files[Math.floor(n / 4) % files.length] ?? { path: '', first: '' };
    const input = { file_path: path, offset: 1 + (n % 4) * 20, limit: 30 };
    if (n % 10 === 9) return { calls: [{ name: 'Bash', input: { command: `wc -l ${path}` } }], ...SILENT };
    if (n % 4 === 3)
      return {
        calls: [
          {
            name: 'Edit',
            input: { file_path: path, old_string: first, new_string: `${first}\n// Note ${n}.` },
          },
        ],
        ...SILENT,
      };
    return { text: `Step ${n}: on with ${path}.`, calls: [{ name: 'Read', input }], ...SILENT };
  };
}

/** Such a figure teaches nothing, and saves counting. */
const SILENT = { usage: { prompt_tokens: 0, completion_tokens: 0 } };

/** The length of the common prefix of two texts. */
function sharedStart(a: string, b: string): number {
  if (a.startsWith(b)) return b.length;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
