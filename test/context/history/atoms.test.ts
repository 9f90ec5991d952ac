import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AtomGrouper, groupAtoms } from '../../../src/context/history/atoms.ts';
import { estimateRounds, findRoundBoundaries } from '../../../src/context/history/rounds.ts';
import { LogView, type View, viewOf } from '../../../src/context/history/view.ts';
import { projectMessages } from '../../../src/context/request/standardMessages.ts';
import { filterOrphanToolMessages, validateRequest } from '../../../src/context/request/validateRequest.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { cpuClock } from '../../cpuTime.ts';
import { type MadeUpFields, madeUpNewEntry } from '../../madeUpEntry.ts';

let seq = 0;
const entry = (draft: NewEntry): JSONLEntry => {
  const uuid = `u${seq}`;
  return {
    v: 1,
    seq: seq++,
    uuid,
    parentUuid: null,
    sessionId: 's',
    timestamp: '',
    cwd: '/',
    version: '1',
    ...draft,
  } as JSONLEntry;
};
const user = (content: string, subtype = 'prompt') =>
  entry(madeUpNewEntry({ type: 'user', subtype, message: { role: 'user', content } }));
const reply = (content = '') => entry({ type: 'assistant', message: { role: 'assistant', content } });
const use = (id: string, text = '{}') =>
  entry({
    type: 'tool_use',
    message: { role: 'assistant', content: '' },
    tool: { id, name: 'T', input: {}, arguments: text },
  });
const result = (id: string, output: string) =>
  entry({ type: 'tool_result', message: { role: 'user', content: '' }, toolResult: { id, output } });

test('a user message starts a round', () => {
  const messages = ['user', 'assistant', 'tool', 'user', 'assistant'].map((role) => ({ role }));
  expect(estimateRounds(messages)).toBe(2);
  expect(findRoundBoundaries(messages)).toEqual([0, 3]);
});

test('moves messages between a call and its results after them, and keeps results in call order', () => {
  const log = [user('go'), reply('x'), use('a'), use('b'), user('wait'), result('b', 'B'), result('a', 'A')];
  expect(projectMessages(log).map((message) => message.content)).toEqual(['go', 'x', 'A', 'B', 'wait']);
});

test('an id that every reply reuses belongs to the latest, and duplicates within a reply are distinguished', () => {
  const log = [
    user('go'),
    reply(),
    use('c'),
    use('c'),
    result('c', '1'),
    result('c', '2'),
    reply(),
    use('c'),
    result('c', '3'),
  ];
  const messages = projectMessages(log);
  expect(validateRequest(messages)).toEqual([]);
  expect(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : [])),
  ).toEqual([
    ['c', '1'],
    ['c-2', '2'],
    ['c', '3'],
  ]);
});

test('orphaned results, empty replies and notes for the user are not sent', () => {
  const log = [
    user('go'),
    result('ghost', 'x'),
    reply('  '),
    entry({ type: 'system', subtype: 'notice', message: { role: 'system', content: 'n' } }),
    entry({ type: 'system', subtype: 'model', message: { role: 'system', content: 'm' } }),
  ];
  expect(projectMessages(log)).toEqual([{ role: 'user', content: 'go' }]);
});

test('a call whose reply was lost still gets a message', () => {
  const log = [user('go'), use('a'), result('a', 'A')];
  const messages = projectMessages(log);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(validateRequest(messages)).toEqual([]);
  expect(groupAtoms(log)).toHaveLength(2);
});

test('arguments that are not a JSON object, and lone surrogates, are repaired before they are sent', () => {
  const messages = projectMessages([user('\ud83d'), reply('ok'), use('a', '[1'), result('a', '\udc00')]);
  expect(validateRequest(messages)).toEqual([]);
  expect(JSON.stringify(messages)).toContain('{\\"input\\":\\"[1\\"}');
});

test('reasoning is sent back only if the endpoint wants it', () => {
  const reasoning = { field: 'reasoning_content', text: 'hm' };
  const log = [
    user('go'),
    entry({ type: 'assistant', message: { role: 'assistant', content: 'x', reasoning } }),
  ];
  expect(projectMessages(log)[1]).not.toHaveProperty('reasoning');
  expect(projectMessages(log, { returnsReasoning: true })[1]).toMatchObject({ reasoning });
});

test('a boundary without its summary has no effect', () => {
  const boundary = entry({
    type: 'system',
    subtype: 'compact_boundary',
    message: { role: 'system', content: '' },
  });
  expect(projectMessages([user('a'), boundary, user('b')])).toHaveLength(2);
});

test.each([
  [
    'an orphan result',
    [
      { role: 'user', content: 'x' },
      { role: 'tool', toolCallId: 'a', name: 'T', content: '', isError: false },
    ],
  ],
  [
    'a call without a result',
    [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'T', arguments: '{}' }] },
    ],
  ],
  [
    'a late system message',
    [
      { role: 'user', content: 'x' },
      { role: 'system', content: 's' },
    ],
  ],
  ['a lone surrogate', [{ role: 'user', content: '\ud83d' }]],
] as const)('the validator finds %s', (_, messages) => {
  expect(validateRequest(messages)).not.toEqual([]);
});

test('a view that grows with its log equals that of the complete log, and earlier views do not change', () => {
  const kinds = fc.constantFrom(
    ...['user', 'mode', 'reply', 'use', 'result', 'compact', 'reduce', 'remove', 'restore', 'usage'],
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.nat(2), fc.boolean()), { maxLength: 40 }), (program) => {
      const log: JSONLEntry[] = [];
      const growing = new LogView();
      const given: (readonly [View, string])[] = [];
      for (const [kind, id, look] of program) {
        log.push(...entriesOf(kind, `c${id}`, log));
        if (!look) continue;
        const view = growing.of([...log]);
        expect(view).toEqual(viewOf(log));
        given.push([view, JSON.stringify(view.atoms)]);
      }
      for (const [view, before] of given) expect(JSON.stringify(view.atoms)).toBe(before);
    }),
    { numRuns: 300 },
  );
});

function entriesOf(kind: string, id: string, log: readonly JSONLEntry[]): JSONLEntry[] {
  const system = (subtype: string, extra: MadeUpFields) =>
    entry(
      madeUpNewEntry({ type: 'system', subtype, message: { role: 'system', content: subtype }, ...extra }),
    );
  switch (kind) {
    case 'user':
      return [user('text')];
    case 'reply':
      return [reply('text')];
    case 'use':
      return [use(id)];
    case 'result':
      return [result(id, 'output')];
    case 'compact': {
      const compactMetadata = {
        trigger: 'auto' as const,
        preTokens: 1,
        retained: log.filter((_, index) => index % 2 === 0).map(({ uuid }) => uuid),
      };
      const message = { role: 'user' as const, content: 'summary' };
      return [
        system('compact_boundary', { compactMetadata }),
        entry({ type: 'user', message, isCompactSummary: true, compactMetadata }),
      ];
    }
    case 'reduce': {
      const replacements = log.slice(-1).map(({ uuid }) => ({ uuid, output: 'short' }));
      return [system('reduction', { data: { kind: 'clip', reason: '', preTokens: 1, replacements } })];
    }
    case 'remove': {
      // Including forms that no program writes yet.
      const removed = [...log.slice(-3).map(({ uuid }) => uuid), `u${seq + 2}`];
      return [system('reduction', { data: { kind: 'remove', reason: '', preTokens: 1, removed } })];
    }
    case 'restore': {
      const restored = log.slice(-6, -3).map(({ uuid }) => uuid);
      return [system('reduction', { data: { kind: 'restore', reason: '', preTokens: 1, restored } })];
    }
    default:
      return [system(kind, {})];
  }
}

test('atoms that were returned do not change when results arrive, and ten thousand calls are read without delay', () => {
  const grouper = new AtomGrouper();
  const ids = Array.from({ length: 10_000 }, (_, index) => `c${index % 5000}`);
  grouper.add(reply());
  for (const id of ids) grouper.add(use(id));
  const before = grouper.atoms();
  const spentMs = cpuClock();
  for (const id of ids) grouper.add(result(id, id));
  expect(spentMs()).toBeLessThan(5000);
  expect(before[0]?.calls.every(({ result: one }) => one === undefined)).toBe(true);
  const after = grouper.atoms()[0]?.calls ?? [];
  expect(after.map(({ result: one }) => one?.toolResult?.output)).toEqual(ids);
});

test('any message list without its orphans is accepted by a server, and no pair is lost', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const message = fc.oneof(
    fc.constant<Message>({ role: 'user', content: 'words' }),
    id.map(
      (toolCallId): Message => ({ role: 'tool', toolCallId, name: 'T', content: toolCallId, isError: false }),
    ),
    fc.tuple(fc.constantFrom('', 'said'), fc.uniqueArray(id)).map(
      ([content, ids]): Message => ({
        role: 'assistant',
        content,
        toolCalls: ids.map((one) => ({ id: one, name: 'T', arguments: '{}' })),
      }),
    ),
  );
  let [lost, paired] = [0, 0];
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (rest) => {
      const messages: readonly Message[] = [{ role: 'user', content: 'words' }, ...rest];
      const left = filterOrphanToolMessages(messages);
      expect(validateRequest(left)).toEqual([]);
      const said = (list: readonly Message[]) =>
        list.filter(({ role, content }) => role !== 'tool' && content !== '').map(({ content }) => content);
      expect(said(left)).toEqual(said(messages));
      lost += messages.length - left.length;
      paired += left.filter(({ role }) => role === 'tool').length;
      if (validateRequest(messages).length === 0) expect(left).toEqual(messages);
    }),
    { numRuns: 1000 },
  );
  expect(lost).toBeGreaterThan(100);
  expect(paired).toBeGreaterThan(100);
});
