import { describe, expect, test, vi } from 'vitest';
import { Onboarding } from '../../../src/ui/onboarding/Onboarding.tsx';
import type { Access, AccessOutcome, FoundServer, SetupPort } from '../../../src/ui/onboarding/SetupPort.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import type { OnboardingResult } from '../../../src/ui/types.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const ollama: FoundServer = {
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  state: {
    type: 'models',
    models: [
      { id: 'qwen3-coder:30b', windowTokens: 65_536, tools: true, loaded: true },
      { id: 'llava:7b', windowTokens: 4096, tools: false, vision: true },
      { id: 'llama3.2:3b', maxWindowTokens: 131_072 },
      { id: 'phi4' },
      { id: 'モデル👩‍💻-7b' },
    ],
  },
};

interface Given {
  readonly found?: readonly FoundServer[];
  readonly outcomes?: readonly AccessOutcome[];
  readonly columns?: number;
  readonly rows?: number;
  readonly message?: string;
  readonly canReread?: boolean;
  readonly defaults?: SetupPort['defaults'];
}

/** The dialog with its results, after the time in which keys do not count. */
async function open({
  found = [],
  outcomes = [],
  columns = 80,
  rows = 20,
  message,
  canReread,
  defaults = {},
}: Given = {}) {
  const clock = createClock();
  const done = vi.fn<(result: OnboardingResult) => void>();
  const checked: Access[] = [];
  const left = [...outcomes];
  const signals: AbortSignal[] = [];
  const search = vi.fn(async () => found);
  const setup: SetupPort = {
    search,
    refine: async (servers) => servers,
    async check(access, signal) {
      checked.push(access);
      signals.push(signal);
      return left.shift() ?? new Promise<AccessOutcome>(() => {});
    },
    defaults,
    savedTo: '~/.clawdcode/config.json',
  };
  const { screen } = await mount(
    <Onboarding
      setup={setup}
      message={message}
      canReread={canReread}
      width={columns}
      rows={rows}
      theme={plain}
      now={clock.now}
      onDone={done}
    />,
    { columns, rows: rows + 2 },
  );
  await screen.waitFor((shown) => !shown.some((row) => row.startsWith('Looking')));
  clock.pass(250);
  return {
    screen,
    done,
    checked,
    signals,
    search,
    text: () => screen.text().join('\n'),
    async press(...keystrokes: string[]) {
      await screen.press(...keystrokes);
      clock.pass(250);
    },
  };
}

const credentials = (baseUrl: string, apiKey: string, model: string): OnboardingResult => ({
  type: 'credentials',
  baseUrl,
  apiKey,
  model,
});

describe('with a local server', () => {
  test('Enter chooses the best model, whose row shows its facts', async () => {
    const { screen, done, press } = await open({ found: [ollama] });
    expect(screen.text().slice(0, 4)).toEqual([
      expect.stringContaining('─ Welcome to ClawdCode ─'),
      'Found on this machine: Ollama with 5 models.',
      '❯ 1. qwen3-coder:30b · Ollama',
      '     65.5k tokens · calls tools · in memory',
    ]);
    expect(screen.text()).toContain('     up to 131k tokens');
    await press(keys.enter);
    expect(done).toHaveBeenCalledExactlyOnceWith(
      credentials('http://127.0.0.1:11434/v1', '', 'qwen3-coder:30b'),
    );
  });

  test.each([
    ['a digit chooses another one', ['2'], credentials(ollama.baseUrl, '', 'llama3.2:3b')],
    ['arrows and Enter', [keys.down, keys.down, keys.enter], credentials(ollama.baseUrl, '', 'phi4')],
    [
      'the others are a list that can be filtered',
      ['m', 'phi', keys.enter],
      credentials(ollama.baseUrl, '', 'phi4'),
    ],
    ['out of the list and the demo', ['m', keys.escape, 'd'], { type: 'demo' }],
    ['Ctrl+C in the list', ['m', keys.ctrl('c')], { type: 'quit' }],
    ['Esc', [keys.escape], { type: 'quit' }],
    ['q', ['q'], { type: 'quit' }],
    ['Ctrl+D', [keys.ctrl('d')], { type: 'quit' }],
    ['keys without a meaning, then q', [keys.shiftTab, keys.ctrl('l'), 'q'], { type: 'quit' }],
  ] satisfies [string, string[], OnboardingResult][])('%s', async (_, pressed, expected) => {
    const { done, press } = await open({ found: [ollama] });
    for (const key of pressed) await press(key);
    expect(done).toHaveBeenCalledExactlyOnceWith(expected);
  });

  test('a model that cannot call tools is last in the list, with a note that says so', async () => {
    const { screen, press } = await open({ found: [ollama] });
    await press('m');
    expect(
      screen
        .text()
        .filter((row) => row.includes('Ollama'))
        .at(-1),
    ).toBe('  llava:7b · Ollama · 4.1k tokens · no tool calls · sees images');
  });

  test('keys typed before the list was shown choose nothing', async () => {
    let answer: (found: readonly FoundServer[]) => void = () => {};
    let refined: (found: readonly FoundServer[]) => void = () => {};
    const setup: SetupPort = {
      search: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
      refine: () =>
        new Promise((resolve) => {
          refined = resolve;
        }),
      check: () => new Promise(() => {}),
      defaults: {},
      savedTo: '',
    };
    const clock = createClock();
    const done = vi.fn();
    const { screen } = await mount(
      <Onboarding setup={setup} width={80} rows={20} theme={plain} now={clock.now} onDone={done} />,
    );
    expect(screen.text()[1]).toContain('Looking for local servers');
    await screen.press(keys.enter, '1');
    answer([ollama]);
    await screen.waitFor((rows) => rows.some((row) => row.includes('qwen3-coder')));
    await screen.press(keys.enter);
    expect(done).not.toHaveBeenCalled();
    clock.pass(1000);
    // Late facts may change the order: then the next key must be a deliberate choice again.
    const better = { ...ollama, state: { type: 'models', models: [{ id: 'better', tools: true }] } } as const;
    refined([better]);
    await screen.waitFor((rows) => rows.some((row) => row.includes('better')));
    await screen.press(keys.enter);
    expect(done).not.toHaveBeenCalled();
    clock.pass(250);
    await screen.press(keys.enter);
    expect(done).toHaveBeenCalledExactlyOnceWith(credentials(ollama.baseUrl, '', 'better'));
  });

  test('a server that requires a key gets the form with its address, and a remote one is queried only when chosen', async () => {
    const vllm: FoundServer = {
      name: 'vLLM',
      baseUrl: 'http://127.0.0.1:8000/v1',
      state: { type: 'wants_key' },
    };
    const remote: FoundServer = {
      name: 'Ollama',
      baseUrl: 'http://gpu.lan:11434/v1',
      state: { type: 'unasked', source: 'OLLAMA_HOST' },
    };
    const { press, text, checked, done } = await open({
      found: [vllm, remote],
      outcomes: [
        {
          type: 'models',
          baseUrl: 'http://gpu.lan:11434/v1',
          models: [{ id: 'only-one' }],
          isProven: true,
        },
      ],
    });
    expect(text()).toContain('named by OLLAMA_HOST; not on this machine');
    await press('1');
    expect(text()).toContain('Endpoint: http://127.0.0.1:8000/v1');
    await press(keys.escape);
    expect(checked).toEqual([]);
    await press('2');
    expect(checked).toEqual([{ baseUrl: 'http://gpu.lan:11434/v1', apiKey: '', model: '' }]);
    expect(done).toHaveBeenCalledExactlyOnceWith(credentials('http://gpu.lan:11434/v1', '', 'only-one'));
  });
});

describe('with nothing found', () => {
  test('the dialog says so, explains how to start one, and can search again', async () => {
    const { press, text, search } = await open();
    expect(text()).toContain('No local model server found');
    await press('l');
    expect(text()).toContain('ollama serve');
    expect(text()).toContain('llama-server -m model.gguf --jinja');
    await press('r');
    expect(search).toHaveBeenCalledTimes(2);
    await press('r');
    expect(search).toHaveBeenCalledTimes(3);
  });

  test('a server without a model says how to get one', async () => {
    const { text } = await open({
      found: [{ name: 'Ollama', baseUrl: ollama.baseUrl, state: { type: 'empty', advice: 'get one' } }],
    });
    expect(text()).toContain('Ollama is running without a model: get one.');
  });

  test('a pasted key opens the form with the endpoint of its prefix, and is never shown', async () => {
    const { screen, press, text, checked, done } = await open({
      outcomes: [
        {
          type: 'models',
          baseUrl: 'https://openrouter.ai/api/v1',
          models: [{ id: 'a/one' }, { id: 'b/two' }],
          isProven: false,
        },
        {
          type: 'accepted',
          access: { baseUrl: 'https://openrouter.ai/api/v1', apiKey: 'sk-or-v1-secret', model: 'b/two' },
        },
      ],
    });
    await press(keys.paste(' sk-or-v1-secret\n'));
    expect(text()).toContain('Key:      •••••••••••••••');
    expect(text()).toContain('Endpoint: https://openrouter.ai/api/v1');
    expect(text()).toContain('This looks like a key for OpenRouter');
    // Nothing is sent before the endpoint was checked.
    await press(keys.enter);
    expect(checked).toEqual([]);
    await press(keys.enter);
    expect(checked).toHaveLength(1);
    expect(text()).toContain('Which model?');
    await press(keys.down, keys.enter);
    expect(checked[1]).toEqual({
      baseUrl: 'https://openrouter.ai/api/v1',
      apiKey: 'sk-or-v1-secret',
      model: 'b/two',
    });
    expect(done).toHaveBeenCalledExactlyOnceWith(
      credentials('https://openrouter.ai/api/v1', 'sk-or-v1-secret', 'b/two'),
    );
    expect(screen.output()).not.toContain('secret');
  });

  test('a pasted address opens the form with it', async () => {
    const { press, text } = await open();
    await press(keys.paste('https://llm.example/v1'));
    expect(text()).toContain('Endpoint: https://llm.example/v1');
  });
});

describe('an endpoint that rejects the setup', () => {
  const refused = (field: keyof Access, message: string): AccessOutcome => ({
    type: 'refused',
    field,
    message,
  });

  test('says why, and offers to fix the field, retry or save anyway', async () => {
    const { press, text, checked, done } = await open({
      outcomes: [refused('apiKey', 'It rejected the API key.'), refused('apiKey', 'It refused it again.')],
    });
    await press('k', keys.paste('sk-wrong'), keys.enter, keys.enter);
    expect(text()).toContain('It rejected the API key.');
    expect(text()).toContain('1. Change the key');
    await press('t');
    expect(text()).toContain('It refused it again.');
    expect(checked).toHaveLength(2);
    await press('1');
    expect(text()).toContain('Key:      ••••••••');
    expect(done).not.toHaveBeenCalled();
    await press(keys.enter, keys.enter);
    expect(text()).toContain('Asking api.openai.com');
  });

  test('can be saved as it is', async () => {
    const { press, done } = await open({ outcomes: [refused('baseUrl', 'No network.')] });
    await press('k', keys.paste('sk-1'), keys.enter, keys.enter);
    await press('k');
    expect(done).toHaveBeenCalledExactlyOnceWith(credentials('https://api.openai.com/v1', 'sk-1', ''));
  });

  test('is not saved without a model', async () => {
    const { press, text } = await open({ outcomes: [refused('model', 'No list.')] });
    await press('k', keys.enter, keys.ctrl('u'), 'gpu:8000', keys.enter);
    expect(text()).toContain('1. Name a model');
    expect(text()).not.toContain('Keep it');
  });

  test('Esc cancels a check, and a late result changes nothing', async () => {
    const { press, text, signals } = await open();
    await press('k', keys.paste('sk-1'), keys.enter, keys.enter);
    expect(text()).toContain('Asking api.openai.com which models it has…');
    await press(keys.escape);
    expect(signals[0]?.aborted).toBe(true);
    expect(text()).toContain('Endpoint:');
  });
});

describe('a key that is put into another field', () => {
  const KEY = 'sk-or-v1-0123456789abcdef';
  test.each([
    ['pasted after the endpoint', ['k', keys.tab, keys.paste(KEY)]],
    ['pasted instead of it', ['k', keys.tab, keys.ctrl('u'), keys.paste(`export KEY=${KEY}`)]],
    ['typed as keys, in a terminal without paste support', ['k', keys.tab, KEY]],
    ['pasted as the model', ['k', keys.tab, keys.tab, keys.paste(KEY)]],
  ])('is moved to the key field, and is never shown: %s', async (_, pressed) => {
    const { screen, press, text, checked } = await open();
    await press(...pressed);
    expect(text()).toContain('That looks like a key');
    expect(text()).toContain(`Key:      ${'•'.repeat(KEY.length)}`);
    expect(text()).toContain('Endpoint: https://openrouter.ai/api/v1');
    await press(keys.enter, keys.enter);
    expect(checked).toEqual([{ baseUrl: 'https://openrouter.ai/api/v1', apiKey: KEY, model: '' }]);
    expect(screen.output()).not.toContain('0123456789');
  });

  test('is hidden while it is typed, even before it is certainly a key', {
    tags: 'long',
  }, async () => {
    const { screen, press, text } = await open();
    await press('k', keys.tab, keys.ctrl('u'), 'https://llm.example/v1');
    for (const letter of KEY.slice(0, 15)) await press(letter);
    expect(text()).toContain(`Endpoint: https://llm.example/v1${'•'.repeat(15)}`);
    expect(text()).toContain('This looks like a key, so it is hidden');
    expect(screen.output()).not.toMatch(/sk-|or-|0123/);
    // It is still an address if it continues as one.
    await press('.eu/v2');
    expect(text()).toContain(`Endpoint: https://llm.example/v1${KEY.slice(0, 15)}.eu/v2`);
  });

  test('does not replace an endpoint that was typed', async () => {
    const { press, text } = await open();
    await press('k', keys.tab, keys.ctrl('u'), 'https://llm.example/v1', keys.paste(KEY));
    expect(text()).toContain('Endpoint: https://llm.example/v1');
    expect(text()).not.toContain(KEY);
  });
});

test('the form points out missing values before it sends anything', async () => {
  const { press, text, checked } = await open();
  await press('k', keys.enter, keys.enter);
  expect(text()).toContain('This endpoint needs a key.');
  await press('s k', keys.enter, keys.enter);
  expect(text()).toContain('A key has no spaces');
  await press(keys.ctrl('u'), 'sk', keys.enter, keys.ctrl('u'), 'nowhere', keys.enter);
  expect(text()).toContain('The endpoint is an address such as');
  expect(checked).toEqual([]);
  await press(keys.escape);
  expect(text()).toContain('Try the demo model');
});

test('existing settings are filled in', async () => {
  const { press, text } = await open({ defaults: { baseUrl: 'http://gpu.lan:8000/v1', model: 'mine' } });
  await press('k', keys.paste('sk-or-v1-other'));
  expect(text()).toContain('Endpoint: http://gpu.lan:8000/v1');
  expect(text()).toContain('Model:    mine');
});

test('a mistake in the settings is reported, and Enter reloads them once corrected', async () => {
  const message = '~/.clawdcode/config.json:3:5: comma expected.';
  const { screen, done, press } = await open({ message, canReread: true, found: [ollama] });
  expect(screen.text().slice(1, 4)).toEqual([
    message,
    'Found on this machine: Ollama with 5 models.',
    '❯ 1. Reload the settings',
  ]);
  await press(keys.enter);
  expect(done).toHaveBeenCalledExactlyOnceWith({ type: 'reread' });
  expect((await open({ message })).text()).not.toContain('Reload the settings');
});

test('the problem with the last answer is shown above the choices', async () => {
  const { screen } = await open({ message: 'The key was refused (401).' });
  expect(screen.text()[1]).toBe('The key was refused (401).');
});

test('text from a server cannot control the terminal', async () => {
  const hostile = 'It said: "\u001b]0;owned\u0007\u009b2Jno \u202ekey".';
  const { screen, press } = await open({
    message: hostile,
    found: [
      {
        name: 'Ollama',
        baseUrl: ollama.baseUrl,
        state: { type: 'models', models: [{ id: 'x\u001b[2J\u009d0;owned\u009cy' }] },
      },
    ],
    outcomes: [{ type: 'refused', field: 'apiKey', message: hostile }],
  });
  await press('k', keys.paste('sk-1'), keys.enter, keys.enter);
  expect(screen.text().join('\n')).toContain('no ‹U+202E›key');
  expect(screen.output()).not.toMatch(/owned|[\u0080-\u009f\u202e]/);
});

describe.each([
  [20, 8],
  [20, 16],
  [80, 10],
  [200, 30],
])('in %i columns and %i rows', (columns, rows) => {
  test.each([
    ['the choices', [], 'qwen3'],
    ['the form', ['k'], 'Key'],
    ['the list', ['m'], 'Models on this'],
    ['the last choice', [keys.up], 'Quit'],
  ])('%s fit', async (_, pressed, wanted) => {
    const { screen, press } = await open({
      found: [ollama],
      columns,
      rows,
      message: 'The TLS certificate of https://llm.example is not trusted: name it in NODE_EXTRA_CA_CERTS.',
    });
    for (const key of pressed) await press(key);
    const lines = screen.text();
    expect(lines.join('\n')).toContain(wanted);
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(screen.scrollback().length).toBeLessThanOrEqual(rows + 2);
  });
});
