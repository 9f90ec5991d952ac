/**
 * A task that outgrows its window many times over, as a user lives through it: the work, a look at the context,
 * a preview, the compaction, the way back, leaving, and the prompt with which it goes on the same day.
 */
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { keys } from '../ui/screen.ts';
import type { ModelServer, WireRequest } from './support/server.ts';
import { setStage } from './support/stage.ts';
import type { Terminal } from './support/terminal.ts';
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

test.each([
  // Elsewhere the default writes drafts beside the work; an endpoint on loopback has to be told to.
  { way: 'as it is by default', context: { threadSummary: 'on' }, ledgers: 4, summaries: 1 },
  { way: 'by summaries that are waited for', context: { strategy: 'summary' }, ledgers: 0, summaries: 5 },
])('a task of nine prompts in 16,000 tokens, $way', async ({ context, ledgers, summaries }) => {
  const { server, work, ready } = await setStage();
  await work.write('.clawdcode.json', JSON.stringify({ context }));
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
  expect(made.filter((one) => one === 'ledger').length).toBeGreaterThanOrEqual(ledgers);
  expect(made.filter((one) => one === 'summary').length).toBeGreaterThanOrEqual(summaries);
  expect(ledgers === 0).toBe(!made.includes('ledger'));
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
  expect(terminal.screen()).toMatch(/^─ Context items ─+\n~[\d.]+k of 16k \(compacts at 11k\) · ● \d+ sent/m);
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
  expect(terminal.screen()).toContain('Losses: none found; what the log knows is still said.');
  for (const topic of topics)
    expect(terminal.screen()).toContain(`"Never write a file about ${topic} without asking me first."`);
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
  expect(terminal.screen()).toContain('/uncompact takes it back; /context items brings single items back.');

  await terminal.submit('/uncompact');
  await terminal.waitFor('· The last compaction was taken back.');
  await statusLineSays(terminal, used);
  expectNoRuins(terminal);

  await terminal.press(keys.ctrl('c'));
  await terminal.waitFor('Press Ctrl+C again to leave');
  await terminal.press(keys.ctrl('c'));
  expect(await terminal.exited).toBe(0);
  const id = (await entries())[0]?.sessionId;
  expect(terminal.everything().split('\n').at(-1)).toBe(
    `To go on with this session: clawdcode --resume ${id}`,
  );
  expect(terminal.everything()).not.toContain('Press Ctrl+C again');

  const again = await ready([...args, '--continue'], size);
  await again.waitFor(/◇ Taken back: the last compaction\n\n❯ Ask for something/);
  // What was taken back no longer counts, and is not shown again.
  expect(again.screen()).toContain(`Findings about ${last} end here.\n\n◇ Taken back: the last compaction`);
  await statusLineSays(again, used);
  expectNoRuins(again);
  await again.submit('go on');
  await again.waitFor('On it goes.');
  // What was asked last, its answer, and the new prompt: nothing of all that happened between has left a trace.
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

/** A prompt of the size that people write, with a rule in it. */
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

/** Reads on, a few steps a prompt; the last prompt is answered only when there is room again. */
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

/** Whatever was done to them, requests fit, have each call with its result, and know every rule of the user. */
function expectSound(requests: readonly WireRequest[]): void {
  let seen = 0;
  for (const request of requests) {
    expect(countRequest(request)).toBeLessThan(WINDOW);
    expectPairedCalls(request);
    if (isSummary(request)) continue;
    const text = JSON.stringify(request.messages);
    const known = topics.filter((topic) => text.includes(`Never write a file about ${topic} `)).length;
    expect(known).toBeGreaterThanOrEqual(seen);
    seen = known;
  }
  expect(seen).toBe(topics.length);
}

/** Everything was printed once, and what is drawn anew all the time is on the last rows only. */
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

/** Tokens that all these freed, each counted once. */
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

/** Per cent of the window, as the status line has it. */
function share(terminal: Terminal): number {
  return Number(/context ~?(\d+)% of 16k/.exec(terminal.screen())?.[1]);
}

/** Drawn a frame after what is printed. */
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
