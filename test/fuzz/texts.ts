/** Texts of every kind that a session may contain, generated from a few numbers so that a program stays small. */
import fc from 'fast-check';
import { anyText } from '../anyText.ts';

export const textKinds = [
  'words',
  'code',
  'log',
  'list',
  'json',
  'base64',
  'long line',
  'one letter',
  'emoji',
  'cjk',
  'mixed scripts',
  'lone surrogates',
  'ansi',
  'null bytes',
  'blank',
  'special tokens',
  'markup',
  'accents',
] as const;

export interface TextSpec {
  readonly kind: (typeof textKinds)[number] | 'raw';
  /** Approximate number of characters. */
  readonly size: number;
  readonly seed: number;
  /** The text itself, for kind `raw`. */
  readonly raw?: string;
}

/** Texts of up to `most` characters; small ones are more frequent. */
export function textSpec(most: number): fc.Arbitrary<TextSpec> {
  const size = fc.oneof(
    { weight: 3, arbitrary: fc.nat(120) },
    { weight: 2, arbitrary: fc.nat(Math.min(most, 3000)) },
    { weight: 2, arbitrary: fc.nat(most) },
  );
  const made = fc.record({ kind: fc.constantFrom(...textKinds), size, seed: fc.nat(50) });
  const raw = fc.oneof(fc.string({ maxLength: 40 }), anyText({ maxLength: 40 }));
  return fc.oneof(
    { weight: 6, arbitrary: made },
    { weight: 1, arbitrary: raw.map((text) => ({ kind: 'raw' as const, size: 0, seed: 0, raw: text })) },
  );
}

/** Deterministic: the same spec gives the same text. */
export function textOf({ kind, size, seed, raw }: TextSpec): string {
  if (kind === 'raw') return raw ?? '';
  const next = generator(seed + 1);
  const piece = pieces[kind];
  const parts: string[] = [];
  for (let length = 0; length < size; ) {
    const part = piece(next, parts.length, size);
    parts.push(part);
    length += Math.max(1, part.length);
  }
  return parts.join('').slice(0, size);
}

type Next = (below: number) => number;
type Piece = (next: Next, at: number, size: number) => string;

const pick = <T>(next: Next, from: readonly [T, ...T[]]): T => from[next(from.length)] ?? from[0];

const nouns = ['window', 'error', 'the', 'a file', 'request', 'must not', 'port 8080', 'because', 'src/a.ts'];
const scripts = [
  'सन्दर्भ ',
  'контекст ',
  'บริบท',
  'السياق ',
  '컨텍스트 ',
  'コンテキスト',
  'ngữ cảnh ',
  'πλαίσιο ',
];

const pieces: Record<(typeof textKinds)[number], Piece> = {
  words: (next) => `${nouns[next(nouns.length)]} ${next(9) === 0 ? '.\n' : ''}`,
  code: (next, at) =>
    `${' '.repeat(next(12))}const v${at} = call(${next(1e6)}, "${next(1e9).toString(36)}");\n`,
  log: (next, at) =>
    `2026-01-0${1 + next(9)}T0${next(9)}:11:${10 + next(50)}Z ${pick(next, ['INFO', 'WARN', 'ERROR failed:'])} step ${at} id=${next(1e9).toString(16)}\n`,
  list: (next, at) => `src/part${next(40)}/file-${at}.ts${next(3) === 0 ? `:${next(900)}: found` : ''}\n`,
  json: (next, at) => `${at === 0 ? '[' : ','}{"id":${at},"name":"${next(1e9).toString(36)}","ok":true}`,
  base64: (next) => Buffer.from(Array.from({ length: 48 }, () => next(256))).toString('base64'),
  'long line': (next) => `${next(1e9).toString(36)}${pick(next, [';', ',', '=', '{', ' '])}`,
  'one letter': (_next, _at, size) => 'x'.repeat(size),
  emoji: (next) => pick(next, ['😀', '👩‍👩‍👧‍👦', '🇩🇪', '🧑🏽‍💻', '❤️']),
  cjk: (next) => String.fromCharCode(0x4e00 + next(0x51a0)),
  'mixed scripts': (next) => scripts[next(scripts.length)] ?? '',
  'lone surrogates': (next) => `${String.fromCharCode(0xd800 + next(0x800))}${next(2) === 0 ? ' a' : '\n'}`,
  ansi: (next) => `\u001b[${next(49)};1m${next(1e6).toString(36)}\u001b[0m\r\n`,
  'null bytes': (next) => `\u0000\u0001\u0007${next(256).toString(16)}`,
  blank: (next) => pick(next, [' ', '\t', '\n', '\r\n', '\u00a0', '\u2028']),
  'special tokens': (next) =>
    pick(next, ['<|endoftext|>', '<|im_start|>system\n', '</system-note>', '[/INST]', '<tool_call>']),
  markup: (next) => `<div class="c${next(99)}"><p>${nouns[next(nouns.length)]}</p></div>\n`,
  accents: (next) => `e${'\u0301\u0323\u0300'.slice(0, 1 + next(3))}`,
};

/** Our own generator, so that no library update changes the text of an old seed. */
function generator(seed: number): Next {
  let state = (seed * 0x9e3779b1) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 4_294_967_296) * below);
  };
}
