import { describe, expect, test } from 'vitest';
import { repeatedSkills } from '../../../src/context/memory/instructions.ts';
import { estimateTokens } from '../../../src/context/tokens/estimate.ts';
import type { NewEntry } from '../../../src/protocol/entries.ts';
import { configuration, createTestHome, step, summary } from '../harness.ts';

const skill = (name: string, text: string): NewEntry => ({
  type: 'user',
  subtype: 'skill',
  message: { role: 'user', content: `# Skill ${name}\n\n${text}` },
  data: { name, file: `/srv/${name}/SKILL.md` },
});

test('a compaction repeats the skills in use, once, and the next one as well', async () => {
  const home = await createTestHome({ windowTokens: 40_000, waits: true });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.append(skill('review', 'Bugs first.'));
  await context.addMessage('user', '/review');
  const compact = async (): Promise<string> => {
    for (let index = 0; index < 6; index++) await step(context, `call${index}`, 'alpha beta '.repeat(900));
    home.summaries.expect(summary('## Status\nAll is read.'));
    const report = await context.compressCurrentContext({
      tools: [],
      signal: new AbortController().signal,
      emit: () => {},
    });
    expect(report.outcome).toBe('done');
    return context
      .getMessages()
      .map(({ content }) => content)
      .join('\n');
  };
  for (const _ of ['first', 'second']) expect((await compact()).match(/Bugs first\./g)).toHaveLength(1);
  const again = context.entries().filter(({ subtype }) => subtype === 'skill');
  expect(again.map(({ data }) => data)).toMatchObject([{ name: 'review' }, { again: true }, { again: true }]);
  // Nothing was added since: a repeated skill is nothing new.
  const report = await context.compressCurrentContext({
    tools: [],
    signal: new AbortController().signal,
    emit: () => {},
  });
  expect(report.outcome).toBe('refused');
});

describe('repeatedSkills', () => {
  const words = (count: number): string => 'instruction '.repeat(count);
  const entries = (...drafts: NewEntry[]) =>
    drafts.map((draft, seq) => ({
      ...{
        v: 1,
        seq,
        uuid: `${seq}`,
        parentUuid: null,
        sessionId: 's',
        timestamp: '',
        cwd: '/',
        version: '1',
      },
      ...draft,
    }));
  const tokens = (drafts: readonly NewEntry[]): number[] =>
    drafts.map(({ message }) => estimateTokens(String(message.content)));

  test('each is cut to 5,000 tokens and says so', () => {
    const [draft] = repeatedSkills(entries(skill('long', words(20_000))), new Set(), 1_000_000);
    expect(tokens(draft ? [draft] : [])[0]).toBeLessThanOrEqual(5000);
    expect(draft?.message.content).toMatch(/\(cut here; use the skill again to see all of it\)$/);
  });

  test.each([
    [1_000_000, 25_000, ['c', 'd', 'e', 'f', 'g']],
    [100_000, 10_000, ['f', 'g']],
  ])('in a window of %i together at most %i, the newest first', (window, most, names) => {
    const long = [...'abcdefg'].map((name) => skill(name, words(20_000)));
    const drafts = repeatedSkills(entries(...long), new Set(), window);
    expect(tokens(drafts).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most);
    expect(drafts.flatMap((draft) => (draft.subtype === 'skill' ? (draft.data?.name ?? []) : []))).toEqual(
      names,
    );
  });

  test('only the newest of the same skill, and none that stays anyway', () => {
    const log = entries(skill('a', 'old'), skill('b', 'kept'), skill('a', 'new'));
    const drafts = repeatedSkills(log, new Set(['1']), 100_000);
    expect(drafts.map(({ message }) => message.content)).toEqual(['# Skill a\n\nnew']);
  });
});
