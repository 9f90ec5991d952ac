import { expect, test } from 'vitest';
import { emptyView, type View } from '../../../src/ui/controller/view.ts';
import { announce, noAnnouncements } from '../../../src/ui/plain/announce.ts';

/** The announcements for a series of views, a second apart or as specified. */
function say(views: readonly Partial<View>[], stepMs = 1000): string[][] {
  let announced = noAnnouncements;
  return views.map((change, index) => {
    const news = announce(announced, { ...emptyView, ...change }, index * stepMs);
    announced = news.announced;
    return [...news.lines];
  });
}

const tool = { callId: 'a', tool: 'Bash', title: 'npm test', output: '' };
const busy = { inTurn: true, busy: true, startedAt: 0 } as const;

test('a call is announced once, when it starts, and so is the end of all work', () => {
  expect(say([{ ...busy, tools: [tool] }, { ...busy, tools: [tool] }, busy, { finished: 1 }])).toEqual([
    ['Running Bash: npm test'],
    [],
    [],
    ['Ready.'],
  ]);
});

test('invisible and look-alike characters of a call are printed by number', () => {
  const odd = { ...tool, title: 'p\u0430ypal\u200b' };
  expect(say([{ ...busy, tools: [odd] }])).toEqual([['Running Bash: p‹U+0430 like a›ypal‹U+200B›']]);
});

test('work that starts and ends between two updates is announced as ended', () => {
  expect(say([{}, { finished: 1 }, { finished: 1 }, { ...busy, finished: 1 }, { finished: 2 }])).toEqual([
    [],
    ['Ready.'],
    [],
    [],
    ['Ready.'],
  ]);
});

test('a retry, a compaction and the queue are announced when they start', () => {
  const error = { kind: 'server', retryable: true, message: 'It failed.' } as const;
  const retry = { attempt: 2, maxAttempts: 10, error, until: 5000 };
  const [first, second] = say([
    { ...busy, retry, compacting: { characters: 0, trigger: 'auto' } },
    {
      ...busy,
      retry,
      compacting: { characters: 9, trigger: 'auto' },
      queue: [{ type: 'prompt', text: 'and\nmore' }],
    },
  ]);
  expect(first).toEqual([
    'Error: It failed. Retrying in 5 seconds, attempt 2 of 10. Ctrl+C stops it.',
    'Compacting the conversation.',
  ]);
  expect(second).toEqual(['Queued, sent with the next step: and more']);
});

test('a prompt that starts a turn is not announced as queued', () => {
  const queue: View['queue'] = [{ type: 'prompt', text: 'go' }];
  expect(say([{ queue }, { ...busy, queue }, busy]).flat()).toEqual([]);
});

test('long work is announced at growing intervals', () => {
  const said = say(Array.from({ length: 200 }, () => ({ ...busy, tools: [tool] })));
  const at = said.flatMap((lines, second) => (lines.length > 0 && second > 0 ? [second] : []));
  expect(at).toEqual([15, 45, 105]);
  expect(said[45]).toEqual(['Still running Bash: npm test, 45 seconds so far.']);
  expect(said[105]).toEqual(['Still running Bash: npm test, 2 minutes so far.']);
});

test('nothing is announced while a question is open', () => {
  const question = { id: 'q' } as View['questions'][number];
  expect(say(Array.from({ length: 60 }, () => ({ ...busy, questions: [question] }))).flat()).toEqual([]);
});

test('a title cannot control the terminal', () => {
  const hostile = { ...tool, title: 'a\u001B[2Jb\nc\u0007' };
  expect(say([{ ...busy, tools: [hostile] }])).toEqual([['Running Bash: a‹U+001B›[2Jb c‹U+0007›']]);
});
