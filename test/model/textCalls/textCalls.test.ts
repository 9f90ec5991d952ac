import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextCalls } from '../../../src/model/textCalls/createTextCalls.ts';
import { cpuClock } from '../../cpuTime.ts';

const string = { type: 'string' };
const tools = [
  {
    name: 'Read',
    description: '',
    parameters: { type: 'object', properties: { path: string, limit: { type: 'number' } } },
  },
  {
    name: 'Bash',
    description: '',
    parameters: { type: 'object', properties: { command: string, background: { type: 'boolean' } } },
  },
];

/** In chunks of the given lengths, again and again. */
function run(text: string, sizes: readonly number[] = [7]) {
  const reader = createTextCalls(tools);
  let shown = '';
  let live = '';
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    shown += reader.push(text.slice(at, at + size));
    at += size;
  }
  live = shown;
  const end = reader.end();
  const calls = end.calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) as unknown }));
  return { live, text: shown + end.text, calls };
}

const read = { name: 'Read', input: { path: 'a.ts' } };
const bash = { name: 'Bash', input: { command: 'ls' } };
const json = '{"name": "Read", "arguments": {"path": "a.ts"}}';
const llama = '{"name": "Read", "parameters": {"path": "a.ts"}}';

const dialects: readonly (readonly [string, string, readonly object[]])[] = [
  ['Hermes, Qwen', `<tool_call>\n${json}\n</tool_call>`, [read]],
  [
    'two of them',
    `<tool_call>${json}</tool_call>\n<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>`,
    [read, bash],
  ],
  ['without its closing tag', `<tool_call>\n${json}`, [read]],
  [
    'arguments as a string',
    '<tool_call>{"name":"Read","arguments":"{\\"path\\":\\"a.ts\\"}"}</tool_call>',
    [read],
  ],
  ['<tools>', `<tools>\n${json}\n</tools>`, [read]],
  ['an array between tags', `<tool_calls>[${json}, ${json}]</tool_calls>`, [read, read]],
  ['Llama with its marker', `<|python_tag|>${llama}<|eom_id|>`, [read]],
  ['Llama, several', `<|python_tag|>${llama}; ${llama}`, [read, read]],
  ['Llama without its marker', llama, [read]],
  ['Llama, several without a sign', `${llama}\n${llama}`, [read, read]],
  ['only an array', ` [${json}]\n`, [read]],
  ['the API’s format', `{"type":"function","function":${json}}`, [read]],
  ['a list under a key', `{"tool_calls":[{"id":"1","type":"function","function":${json}}]}`, [read]],
  ['only a fence', `\`\`\`json\n${json}\n\`\`\``, [read]],
  ['Llama by tag', '<function=Read>{"path": "a.ts"}</function>', [read]],
  ['Mistral, list', `[TOOL_CALLS][${json}]`, [read]],
  [
    'Mistral, newer',
    '[TOOL_CALLS]Read{"path": "a.ts"}[TOOL_CALLS]Bash[CALL_ID]x1y2[ARGS]{"command":"ls"}',
    [read, bash],
  ],
  [
    'DeepSeek V3',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n{"path": "a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    [read],
  ],
  [
    'DeepSeek V3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>Bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [read, bash],
  ],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|><|tool_calls_section_end|>',
    [read],
  ],
  ['Functionary', '>>>Read\n{"path": "a.ts"}', [read]],
  [
    'Qwen Coder',
    '<tool_call>\n<function=Bash>\n<parameter=command>\nls\n</parameter>\n<parameter=background>\ntrue\n</parameter>\n</function>\n</tool_call>',
    [{ name: 'Bash', input: { command: 'ls', background: true } }],
  ],
  [
    'the same without its wrapper',
    '<function=Read>\n<parameter=path>\na.ts\n</parameter>\n</function>',
    [read],
  ],
  [
    'Claude',
    '<function_calls>\n<invoke name="Read">\n<parameter name="path">a.ts</parameter>\n<parameter name="limit">3</parameter>\n</invoke>\n</function_calls>',
    [{ name: 'Read', input: { path: 'a.ts', limit: 3 } }],
  ],
  ['GLM', '<tool_call>Read\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n</tool_call>', [read]],
  ['GLM without arguments', '<tool_call>Read</tool_call>', [{ name: 'Read', input: {} }]],
  ['Phi', `<|tool_call|>[${json}]<|/tool_call|>`, [read]],
  [
    'a result invented by the model',
    `<tool_call>${json}</tool_call>\n<tool_response>\nall is well\n</tool_response>\nDone!`,
    [read],
  ],
  [
    'code in an argument',
    '<function=Bash>\n<parameter=command>\necho "```" && echo "{" <\n</parameter>\n</function>',
    [{ name: 'Bash', input: { command: 'echo "```" && echo "{" <' } }],
  ],
];

describe('calls that models write as text', () => {
  test.each(dialects)('%s', (_name, text, calls) => {
    for (const sizes of [[1], [3, 1, 5], [7], [10_000]]) {
      expect(run(text, sizes)).toEqual({ live: '', text: '', calls });
    }
  });

  test.each(dialects.filter(([, text]) => !/^\s*[[{`>]/.test(text) || text.startsWith('[TOOL')))(
    'after prose: %s',
    (_name, text, calls) => {
      for (const sizes of [[1], [6, 2], [10_000]]) {
        const prose = 'I will look at `a<b>` first.\n\n```ts\nconst a = 1;\n```\nNow: ';
        expect(run(prose + text, sizes)).toEqual({ live: prose, text: prose, calls });
      }
    },
  );

  test('at any depth of the text, if nothing precedes it', () => {
    expect(run(`\n      <tool_call>${json}</tool_call>`)).toMatchObject({ calls: [read] });
  });

  test('after reasoning in the text', () => {
    const thought = `<think>I could write <tool_call>${json}</tool_call> now.</think>\n`;
    expect(run(`${thought}<tool_call>${json}</tool_call>`)).toMatchObject({ text: thought, calls: [read] });
    expect(run(thought)).toMatchObject({ text: thought, calls: [] });
  });

  test('broken arguments are passed on and repaired like any other', () => {
    const reader = createTextCalls(tools);
    reader.push('<tool_call>{"name": "Bash", "arguments": {"command": "a\nb"}}</tool_call>');
    expect(reader.end().calls).toEqual([{ name: 'Bash', arguments: '{"command": "a\nb"}' }]);
  });
});

const harmless: readonly (readonly [string, string])[] = [
  ['a name that was not offered', '<tool_call>{"name": "Write", "arguments": {}}</tool_call>'],
  ['a bare object of another kind', '{"name": "my-package", "version": "1.0.0"}'],
  ['a bare object with more keys', '{"name": "Read", "arguments": {"path": "a"}, "private": true}'],
  ['a bare object without arguments', '{"name": "Read"}'],
  ['a fence followed by text', `\`\`\`json\n${json}\n\`\`\`\nThis is how a call looks.`],
  ['a fence after text', `Like this:\n\`\`\`json\n${json}\n\`\`\``],
  ['tags in a fence', `Like this:\n\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\``],
  ['tags in an unclosed fence', `Like this:\n~~~xml\n<tool_call>${json}</tool_call>`],
  ['tags between backticks', `Write \`<tool_call>${json}</tool_call>\``],
  ['tags in a quoted line', `The page says:\n> <tool_call>${json}</tool_call>`],
  ['tags in an indented line', `The page says:\n\n    <tool_call>${json}</tool_call>`],
  ['tags after a tab', `The page says:\n\n\t<tool_call>\n\t${json}\n\t</tool_call>`],
  ['text about a call', `<tool_call>${json}</tool_call> is what I would have written.`],
  ['half a call', '<tool_call>{"name": "Read", "argu'],
  ['only an opening tag', 'The tag is <tool_call>'],
  ['a marker at the very end', 'a <tool_'],
  ['a Python prompt', '>>> Read\n{"path": 1}'],
  ['a prompt within a line', 'a >>>Read\n{"path": "a.ts"}'],
  ['a list of links', '[TOOL_CALLS] are written by Mistral.'],
  ['an HTML function tag', '<function=foo>{}</function>'],
  ['JSON followed by text', `${llama} would do.`],
  ['a number', '{"name": "Read", "arguments": 3}'],
  ['many openings', '<tool_call>{'.repeat(200)],
  ['deeply nested brackets', `<tool_call>${'['.repeat(5000)}`],
  ['empty text', ''],
];

test('in a fence known to be an example, a call is shown as it arrives; JSON without a fence is a call', () => {
  const fenced = createTextCalls(tools, false);
  expect(fenced.push('```json\n{"name": "Read",')).toBe('```json\n{"name": "Read",');
  expect(fenced.push(' "arguments": {}}\n```')).toBe(' "arguments": {}}\n```');
  expect(fenced.end()).toEqual({ text: '', calls: [] });
  const whole = createTextCalls(tools, false);
  expect(whole.push(llama)).toBe('');
  expect(whole.end().calls).toHaveLength(1);
});

describe('text that is not a call is kept byte for byte', () => {
  test.each(harmless)('%s', (_name, text) => {
    for (const sizes of [[1], [4, 9], [10_000]]) expect(run(text, sizes)).toMatchObject({ text, calls: [] });
  });

  const word = fc.constantFrom(
    ...[
      '<tool_call>',
      '</tool_call>',
      json,
      llama,
      '{',
      '}',
      '[',
      ']',
      '"name"',
      ':',
      'Read',
      '<function=',
      'Read>',
    ],
    ...[
      '<parameter=',
      '```',
      '`',
      '\n',
      ' ',
      '[TOOL_CALLS]',
      '<｜tool▁call▁begin｜>',
      '<|python_tag|>',
      '<think>',
    ],
    ...[
      '</think>',
      '<invoke name="',
      'Read">',
      '</invoke>',
      '>>>',
      'so',
      '😀',
      '<tool_response>',
      '</s>',
      '<arg_key>',
    ],
  );
  const soup = fc
    .array(fc.oneof(word, fc.string({ maxLength: 4 })), { maxLength: 14 })
    .map((parts) => parts.join(''));
  const chunks = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

  test('however it is composed and split', () => {
    fc.assert(
      fc.property(soup, chunks, (text, sizes) => {
        const result = run(text, sizes);
        expect(result).toEqual({ ...run(text, [100_000]), live: result.live });
        expect(text.startsWith(result.text)).toBe(true);
        if (result.calls.length === 0) expect(result.text).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('JSON followed by a sentence is not a call', () => {
    fc.assert(
      fc.property(soup, chunks, (text, sizes) => {
        const whole = `${text}\n\nSo much for that.`;
        const { calls, text: shown } = run(whole, sizes);
        if (text.includes('<tool_response>')) return; // a result invented by the model may be anything
        expect(calls).toEqual([]);
        expect(shown).toBe(whole);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['with a sign', '<tool_call>{"name": "Bash", "arguments": {"command": "Read'],
    ['without one', '{"name": "Bash", "arguments": {"command": "Read'],
  ])(
    'while a call %s is being written, its own name is reported, not one that it mentions',
    (_name, text) => {
      const reader = createTextCalls(tools);
      expect(reader.push(text)).toBe('');
      expect(reader.writing()).toEqual({ name: 'Bash', length: text.length });
    },
  );

  test('prose is shown as it arrives: only a possible start of a call is held back', () => {
    const reader = createTextCalls(tools);
    expect(reader.push('Hello <b')).toBe('Hello <b');
    expect(reader.push(' and <tool')).toBe(' and ');
    expect(reader.push('box> there')).toBe('<toolbox> there');
    expect(reader.push(' <tool_call>{"name": "Wri')).toBe(' ');
    expect(reader.push('te", "arguments": {}}')).toContain('<tool_call>{"name": "Write"');
  });

  test('a reply that repeatedly only looks like a call is abandoned before that takes seconds', () => {
    const text = `x${`<tool_call>${json}</tool_call>`.repeat(4000)}!`;
    const spentMs = cpuClock();
    expect(run(text, [text.length])).toEqual({ live: text, text, calls: [] });
    expect(spentMs()).toBeLessThan(5000);
  });

  test('without tools the text is not searched for calls', () => {
    const reader = createTextCalls([]);
    expect(reader.push(`<tool_call>${json}</tool_call>`)).toBe(`<tool_call>${json}</tool_call>`);
    expect(reader.end()).toEqual({ text: '', calls: [] });
  });

  test('a long call is not parsed again for every token', () => {
    const long = `<tool_call>{"name": "Bash", "arguments": {"command": "${'x'.repeat(300_000)}"}}</tool_call>`;
    const spentMs = cpuClock();
    expect(run(long, [4]).calls).toHaveLength(1);
    expect(spentMs()).toBeLessThan(5000);
  });
});
