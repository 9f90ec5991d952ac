/** What a server may ask the user, and what happens to the answers. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readElicitation } from '../../src/mcp/elicitation.ts';
import type { FieldAnswer } from '../../src/protocol/forms.ts';
import type { PermissionAnswer } from '../../src/protocol/permissions.ts';
import type { FormQuestion } from '../../src/protocol/tools.ts';
import { openBench } from './support/bench.ts';
import { stdio } from './support/testServer.ts';

type Elicitation = Exclude<ReturnType<typeof readElicitation>, { readonly problem: string }>;

const form = (properties: object, required: readonly string[] = []) => ({
  mode: 'form',
  message: 'Please say.',
  requestedSchema: { type: 'object', properties, required },
});

const read = (params: unknown): Elicitation => {
  const found = readElicitation(params);
  if ('problem' in found) throw new Error(found.problem);
  return found;
};

describe('a form', () => {
  const properties = {
    name: { type: 'string', title: 'Name', description: 'Your name', minLength: 2, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 18, maximum: 99, default: 30 },
    score: { type: 'number' },
    agrees: { type: 'boolean', default: true },
    color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    tags: { type: 'array', minItems: 1, items: { enum: ['a', 'b', 'c'] }, default: ['b'] },
    more: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X!' }] } },
  };

  test('has a field for each property, with titles, limits and defaults', () => {
    const { form: shown } = read(form(properties, ['name']));
    expect(shown.message).toBe('Please say.');
    expect(shown.fields).toMatchObject([
      { type: 'text', question: 'Name\nYour name', isRequired: true, minLength: 2, initial: 'Ada' },
      { type: 'text', question: 'mail', isRequired: false, format: 'email' },
      { type: 'text', holds: 'integer', minimum: 18, maximum: 99, initial: '30' },
      { type: 'text', holds: 'number' },
      { type: 'choice', options: [{ label: 'Yes' }, { label: 'No' }], chosen: [0], isMultiple: false },
      { options: [{ label: 'Red' }, { label: 'Green' }], chosen: [1], hasOwnAnswer: false },
      { options: [{ label: 'Small' }, { label: 'Large' }] },
      { isMultiple: true, minChosen: 1, chosen: [1] },
      { isMultiple: true, options: [{ label: 'X!' }] },
    ]);
  });

  test('sends values of the right types, and leaves out what was not answered', () => {
    const { contentOf } = read(form(properties));
    const answers: FieldAnswer[] = [
      { chosen: [], text: 'Bo' },
      { chosen: [] },
      { chosen: [], text: '42' },
      { chosen: [], text: '1.5' },
      { chosen: [1] },
      { chosen: [0] },
      { chosen: [1] },
      { chosen: [0, 2] },
      { chosen: [] },
    ];
    expect(contentOf(answers)).toEqual({
      name: 'Bo',
      age: 42,
      score: 1.5,
      agrees: false,
      color: 'r',
      size: 'l',
      tags: ['a', 'c'],
    });
  });

  test.each([
    ['no message', { mode: 'form', requestedSchema: { type: 'object', properties: {} } }],
    [
      'too many fields',
      form(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, { type: 'string' }]))),
    ],
    [
      'too many choices',
      form({ a: { type: 'string', enum: Array.from({ length: 101 }, (_, n) => `${n}`) } }),
    ],
    ['an object', form({ a: { type: 'object', properties: {} } })],
    ['a list of any values', form({ a: { type: 'array', items: { type: 'string' } } })],
    ['a value that would be cut', form({ a: { type: 'string', enum: ['x'.repeat(2000)] } })],
    ['an invalid address', { mode: 'url', message: 'Open', url: 'not an address' }],
    ['a program', { mode: 'url', message: 'Open', url: 'file:///etc/passwd' }],
    ['a script', { mode: 'url', message: 'Open', url: 'javascript:alert(1)' }],
    ['a user name in the address', { mode: 'url', message: 'Open', url: 'https://example.com@evil.test/' }],
  ])('%s is not shown', (_what, params) => {
    expect(readElicitation(params)).toEqual({ problem: expect.any(String) });
  });

  test('a host that only looks like another is shown as it is', () => {
    const { form: shown } = read({ mode: 'url', message: 'Open', url: 'https://ex\u0430mple.com/x' });
    expect(shown.link).toBe('https://xn--exmple-4nf.com/x');
  });
});

describe('a server’s question', () => {
  const simple = form({ name: { type: 'string' } });
  const link = { mode: 'url', message: 'Log in', url: 'https://example.com/in', elicitationId: '1' };

  async function asks(
    requests: readonly unknown[],
    answers: readonly PermissionAnswer[],
    { canAskUser = true, more = {} }: { canAskUser?: boolean; more?: object } = {},
  ) {
    const opened: string[] = [];
    const asked: FormQuestion[] = [];
    const left = [...answers];
    const bench = await openBench({ srv: stdio() }, { canAskUser, openUrl: (url) => opened.push(url) });
    const askForm = async (question: FormQuestion): Promise<PermissionAnswer> => {
      asked.push(question);
      return left.shift() ?? { behavior: 'deny' };
    };
    const run = async (given: object = canAskUser ? { askForm } : {}) => {
      const { text } = await bench.call('mcp__srv__ask', { requests, ...more }, given);
      return JSON.parse(text) as { declared: unknown; results: unknown[] };
    };
    return { ...(await run()), run, asked, opened };
  }

  test('is answered by the user, and names the server', async () => {
    const { declared, results, asked } = await asks(
      [simple],
      [{ behavior: 'allow', answers: [{ chosen: [], text: 'Ada' }] }],
    );
    expect(declared).toEqual({ form: {}, url: {} });
    expect(results).toEqual([{ action: 'accept', content: { name: 'Ada' } }]);
    expect(asked[0]).toMatchObject({
      headline: 'The MCP server "srv" asks',
      form: {
        review: [
          { label: 'Send the answers to srv', sends: true },
          { label: 'Decline', sends: false },
        ],
      },
    });
  });

  test('reports whether the user declined or only closed it', async () => {
    const { results } = await asks(
      [simple, simple],
      [
        { behavior: 'deny', choice: 'decline' },
        { behavior: 'deny', interrupt: true },
      ],
    );
    expect(results).toEqual([{ action: 'decline' }, { action: 'cancel' }]);
  });

  test('opens an address only with the user’s consent', async () => {
    const { results, opened } = await asks(
      [link, link, link],
      [
        { behavior: 'deny', choice: 'decline' },
        { behavior: 'allow', answers: [] },
        { behavior: 'allow', answers: [], choice: 'open' },
      ],
    );
    expect(results).toEqual([{ action: 'decline' }, { action: 'accept' }, { action: 'accept' }]);
    expect(opened).toEqual(['https://example.com/in']);
  });

  test('offers to decline all of them from the third one on', async () => {
    const no: PermissionAnswer = { behavior: 'deny', choice: 'decline' };
    const { results, asked, run } = await asks(
      [simple, simple, simple, simple],
      [no, no, { behavior: 'deny', choice: 'decline_all' }],
    );
    expect(asked.map(({ form: { review } }) => review?.length)).toEqual([2, 2, 3]);
    expect(results).toEqual(Array.from({ length: 4 }, () => ({ action: 'decline' })));
    await run();
    expect(asked.length).toBe(3);
  });

  test('is asked one at a time, and not a hundred times', { tags: 'long' }, async () => {
    const bench = await openBench({ srv: stdio() }, { canAskUser: true });
    let open = 0;
    let most = 0;
    let asked = 0;
    const turnedAway = (): number => bench.servers.status()[0]?.log.split('too many at once').length ?? 0;
    const askForm = async (): Promise<PermissionAnswer> => {
      asked++;
      most = Math.max(most, ++open);
      await vi.waitFor(() => expect(turnedAway()).toBe(96), 10_000);
      open--;
      return { behavior: 'deny' };
    };
    const requests = [Array.from({ length: 100 }, () => simple)];
    const { text } = await bench.call('mcp__srv__ask', { requests }, { askForm });
    expect([asked, most]).toEqual([5, 1]);
    expect(text.match(/decline/g)?.length).toBe(95);
  });

  test('is not asked without a user', async () => {
    const headless = await asks([], [], { canAskUser: false });
    expect(headless.declared).toBeNull();
    const { run } = await asks([simple], []);
    expect((await run({})).results).toEqual([{ action: 'cancel' }]);
  });

  test.each<[PermissionAnswer, string, readonly string[]]>([
    [
      { behavior: 'allow', choice: 'open' },
      'The user agreed. Call the tool again',
      ['https://example.com/in'],
    ],
    [{ behavior: 'deny', choice: 'decline' }, 'The user declined.', []],
  ])('and a call that requires visiting a page first asks for that (%#)', async (answer, told, visited) => {
    const opened: string[] = [];
    const bench = await openBench(
      { srv: stdio('visits') },
      { canAskUser: true, openUrl: (url) => opened.push(url) },
    );
    const { status, text } = await bench.call('mcp__srv__visit', {}, { askForm: async () => answer });
    expect(status).toBe('error');
    expect(text).toContain(told);
    expect(opened).toEqual(visited);
  });

  test('is withdrawn when its call ends', async () => {
    const bench = await openBench({ srv: stdio() }, { canAskUser: true });
    const withdrawn = new Promise((resolve) => {
      void bench.call(
        'mcp__srv__ask',
        { requests: [simple], leaves: true },
        {
          askForm: ({ signal }) =>
            new Promise((answer) => {
              signal.addEventListener('abort', () => {
                resolve('withdrawn');
                answer({ behavior: 'deny' });
              });
            }),
        },
      );
    });
    expect(await withdrawn).toBe('withdrawn');
  });

  test('stops the call’s timeout while the user thinks', async () => {
    const bench = await openBench({ srv: { ...stdio(), timeout: 60_000 } }, { canAskUser: true });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { status } = await bench.call(
      'mcp__srv__ask',
      { requests: [simple] },
      {
        askForm: async () => {
          vi.advanceTimersByTime(120_000);
          return { behavior: 'deny' };
        },
      },
    );
    expect(status).toBe('ok');
  });
});
