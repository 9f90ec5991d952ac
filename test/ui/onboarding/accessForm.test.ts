import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OFFICIAL_URL } from '../../../src/protocol/models/modelNames.ts';
import { fieldText } from '../../../src/ui/dialog/field.ts';
import { createBuffer } from '../../../src/ui/input/textBuffer.ts';
import {
  checkForm,
  createForm,
  leaveKey,
  MOVED_ADDRESS,
  pastedText,
  secretFrom,
  withField,
  withInsertion,
} from '../../../src/ui/onboarding/accessForm.ts';
import { providerOfKey, providers } from '../../../src/ui/onboarding/providers.ts';

/** The address that is used if this is typed. */
const readAddress = (typed: string): string | undefined => {
  const form = withField(createForm({ apiKey: 'k' }), 'baseUrl', createBuffer(typed));
  const checked = checkForm(form);
  return checked.type === 'ok' ? checked.access.baseUrl : undefined;
};

test.each([
  ['https://llm.example/v1', 'https://llm.example/v1'],
  ['localhost:8080', 'http://localhost:8080/v1'],
  ['127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1'],
  ['[::1]:8000', 'http://[::1]:8000/v1'],
  ['gpu.lan:11434', 'http://gpu.lan:11434/v1'],
  ['gpu:8000', 'http://gpu:8000/v1'],
  ['llm.example', 'https://llm.example/v1'],
  ['llm.example/api', 'https://llm.example/api'],
  ['OpenRouter', 'https://openrouter.ai/api/v1'],
  ['lm studio', 'http://127.0.0.1:1234/v1'],
  ['kimi', 'https://api.moonshot.ai/v1'],
  ['nowhere', undefined],
  ['ftp://llm.example', undefined],
  ['file:///etc/passwd', undefined],
  ['javascript:alert(1)', undefined],
  ['http://', undefined],
  ['two words', undefined],
  ['', undefined],
])('the address %j is %j', (typed, expected) => {
  expect(readAddress(typed)).toBe(expected);
});

test('any typed address is http, https or invalid', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webAuthority(), fc.ipV4(), fc.constantFrom('a:1', '::1', 'x://y')),
      (typed) => {
        const read = readAddress(typed);
        if (read !== undefined) expect(new URL(read).protocol).toMatch(/^https?:$/);
      },
    ),
  );
});

test.each([
  ['sk-or-v1-abc', 'OpenRouter'],
  ['sk-ant-api03-abc', 'Anthropic'],
  ['sk-proj-abc', 'OpenAI'],
  ['gsk_abc', 'Groq'],
  ['AIzaSyabc', 'Google'],
  ['xai-abc', 'xAI'],
  // Several providers issue such keys, so none is named.
  ['sk-0123456789abcdef0123456789abcdef', undefined],
  ['whatever', undefined],
])('the key %s is of %s', (key, expected) => {
  expect(providerOfKey(key)?.name).toBe(expected);
});

test('every provider has a valid address', () => {
  for (const { name, baseUrl } of providers) expect(readAddress(name)).toBe(baseUrl);
});

describe('the endpoint follows the key', () => {
  const url = (form: ReturnType<typeof createForm>): string => fieldText(form.fields.baseUrl);
  test('until one is typed', () => {
    const groq = withField(createForm(), 'apiKey', createBuffer('gsk_abc'));
    expect(url(groq)).toBe('https://api.groq.com/openai/v1');
    expect(url(withField(groq, 'apiKey', createBuffer('sk-abc')))).toBe(OFFICIAL_URL);
    const typed = withField(groq, 'baseUrl', createBuffer('http://gpu:1/v1'));
    expect(url(withField(typed, 'apiKey', createBuffer('sk-or-abc')))).toBe('http://gpu:1/v1');
  });
  test('unless one was set before', () => {
    expect(url(withField(createForm({ baseUrl: 'http://gpu:1/v1' }), 'apiKey', createBuffer('gsk_a')))).toBe(
      'http://gpu:1/v1',
    );
  });
});

test.each([
  ['sk-abc', 'sk-abc'],
  ['  sk-abc ', 'sk-abc'],
  ['export OPENAI_API_KEY=sk-abc', 'sk-abc'],
  ['OPENAI_API_KEY="sk-abc"', 'sk-abc'],
  ["$env:OPENAI_API_KEY = 'sk-abc';", 'sk-abc'],
  ['"sk-abc"', 'sk-abc'],
  ['Bearer sk-abc', 'sk-abc'],
  ['https://llm.example/v1?x=y', 'https://llm.example/v1?x=y'],
  ['key==', 'key=='],
])('%j is pasted as %j', (pasted, expected) => {
  expect(pastedText(pasted)).toBe(expected);
});

test.each([
  ['sk-0123456789abcdef0123', true],
  ['sk-proj-Ab3_defghijklmnop-q', true],
  ['AIzaSyD0123456789abcdefg', true],
  ['0123456789abcdef0123456789abcdef', true],
  ['0123456789abcdef0123456789abcdef.Ab3defghijklmnop', true],
  ['eyJhbGciOi.eyJzdWIiOi.c2lnbmF0', true],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', true],
  ['https://llm.example/v1', false],
  ['gpu-01.region-2.internal.example:8000', false],
  ['abcdefgh0123456789xyz.eu-west-1.example.cloud', false],
  ['task-0123456789abcdefghij', false],
  ['sk-inference.example.com', false],
  ['openrouter', false],
])('%j as a key: %s', (text, expected) => {
  const form = withInsertion(createForm(), 'baseUrl', text, createBuffer(text));
  expect(fieldText(form.fields.apiKey) === text).toBe(expected);
});

test.each([
  ['https://llm.example/v1sk-0123456789abcdef0', 'https://llm.example/v1'],
  ['https://api.openai.com/v1', undefined],
  ['https://llm.example/disk-0123456789abcdefghij', undefined],
  ['https://sk-0123456789abcdefghij.example/v1', undefined],
])('the text before the key in %j is %j', (text, before) => {
  const form = withField(createForm(), 'baseUrl', createBuffer(text));
  expect(form.problem === undefined ? undefined : fieldText(form.fields.baseUrl)).toBe(before);
});

test.each([
  ['sk-', 0],
  ['AIzaSy', 0],
  ['https://llm.example/v1sk-or', 22],
  ['https://sk-one.example/v1sk-', 25],
  ['sk', undefined],
  ['https://llm.example/task-force', undefined],
  ['https://sk-inference.example', undefined],
  ['qwen3-coder', undefined],
])('in %j, everything from %j on is hidden', (text, start) => {
  expect(secretFrom(withField(createForm(), 'model', createBuffer(text)), 'model')).toBe(start);
});

test('the hidden part starts at a whole character', () => {
  const form = withField(createForm(), 'model', createBuffer('👩‍👩‍👧-sk-1'));
  expect(secretFrom(form, 'model')).toBe(2);
  expect(secretFrom(form, 'baseUrl')).toBeUndefined();
  expect(secretFrom(form, 'apiKey')).toBe(0);
});

test.each([
  [{ apiKey: '', baseUrl: OFFICIAL_URL }, 'apiKey'],
  [{ apiKey: 'a b' }, 'apiKey'],
  [{ apiKey: 'sk-ключ' }, 'apiKey'],
  [{ apiKey: 'sk', baseUrl: 'nowhere' }, 'baseUrl'],
  [{ apiKey: 'sk', model: 'two words' }, 'model'],
])('%j must be corrected at %s', (values, field) => {
  expect(checkForm(createForm(values))).toMatchObject({ type: 'problem', field });
});

test('an address in the key field becomes the endpoint, pasted or typed, and never a key', () => {
  const url = 'http://127.0.0.1:8811';
  const typed = withField(createForm(), 'apiKey', createBuffer(url));
  for (const form of [withInsertion(createForm(), 'apiKey', url, createBuffer(url)), leaveKey(typed)]) {
    expect(fieldText(form.fields.apiKey)).toBe('');
    expect(fieldText(form.fields.baseUrl)).toBe(url);
    expect(form).toMatchObject({ active: 1, problem: MOVED_ADDRESS });
  }
  expect(checkForm(typed)).toMatchObject({ type: 'problem', field: 'apiKey' });
});
