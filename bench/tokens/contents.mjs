// What is counted: one text per kind of content, made from a seed or from files of installed packages.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from './random.mjs';
import * as words from './words.mjs';

const modules = join(import.meta.dirname, '../../node_modules');

/** Kinds by name; each makes at least `length` characters, different ones for another seed. */
export const contents = {
  english: (length, seed) => prose(words.english, length, seed, { comma: ', ', stop: '. ' }),
  typescript: (length, seed) =>
    files(/^(?!.*min).*\.d\.ts$/, ['zod', 'openai', 'csstype', '@types/node'], length, seed),
  javascript: (length, seed) =>
    files(/^(?!.*min).*\.js$/, ['marked', 'commander', 'ink', 'diff', 'zod'], length, seed),
  'minified js': (length, seed) =>
    files(/.*min\.js$/, ['diff', 'base64-js', 'jsonrepair', 'dequal'], length, seed),
  python: (length, seed) => lines(pythonBlock, length, seed),
  'package-lock': (length, seed) =>
    repeated(readFileSync(join(modules, '../package-lock.json'), 'utf8'), length, seed),
  csv: (length, seed) =>
    lines(
      (r, n) =>
        `${n},${r.hex(8)},${r.pick(words.english)} ${r.pick(words.english)},${r.below(10_000) / 100},2026-0${1 + r.below(9)}-${10 + r.below(19)},${r.pick(['true', 'false'])}`,
      length,
      seed,
    ),
  'ansi log': (length, seed) => lines(ansiLine, length, seed),
  'stack traces': (length, seed) => lines(stackTrace, length, seed),
  chinese: (length, seed) => prose(words.chinese, length, seed, { blank: '', comma: '，', stop: '。' }),
  japanese: (length, seed) => prose(words.japanese, length, seed, { blank: '', comma: '、', stop: '。' }),
  korean: (length, seed) => prose(words.korean, length, seed, { comma: ', ', stop: '. ' }),
  ukrainian: (length, seed) => prose(words.ukrainian, length, seed, { comma: ', ', stop: '. ' }),
  arabic: (length, seed) => prose(words.arabic, length, seed, { comma: '، ', stop: '. ' }),
  hindi: (length, seed) => prose(words.hindi, length, seed, { comma: ', ', stop: '। ' }),
  thai: (length, seed) => prose(words.thai, length, seed, { blank: '', comma: ' ', stop: ' ' }),
  'uuid and hex': (length, seed) =>
    lines(
      (r) =>
        `${r.hex(8)}-${r.hex(4)}-4${r.hex(3)}-a${r.hex(3)}-${r.hex(12)} sha256:${r.hex(64)} 0x${r.hex(8)}`,
      length,
      seed,
    ),
  base64: (length, seed) => lines((r) => r.bytes(57).toString('base64'), length, seed),
  indentation: (length, seed) =>
    lines(
      (r) => `${' '.repeat(4 * r.below(12))}${r.pick(['}', '{', 'end', '</div>', 'return', ''])}`,
      length,
      seed,
    ),
  emoji: (length, seed) => prose(words.emoji, length, seed, { comma: ' ', stop: '\n' }),
  markdown: (length, seed) =>
    files(
      /^(README|CHANGELOG|readme|changelog)\.md$/,
      ['zod', 'openai', 'marked', 'commander', 'diff', 'picomatch', 'fzf'],
      length,
      seed,
    ),
  'one letter': (length) => 'a'.repeat(length),
  mixed,
};

function prose(list, length, seed, { blank = ' ', comma, stop }) {
  const random = randomFrom(seed);
  const parts = [];
  for (let made = 0; made < length; ) {
    const gap = random.below(9);
    const part = random.pick(list) + (gap === 0 ? stop : gap === 1 ? comma : blank);
    made += part.length;
    parts.push(part);
  }
  return parts.join('');
}

function lines(make, length, seed) {
  const random = randomFrom(seed);
  const parts = [];
  for (let made = 0; made < length; ) {
    const line = `${make(random, parts.length)}\n`;
    made += line.length;
    parts.push(line);
  }
  return parts.join('');
}

function files(pattern, packages, length, seed) {
  const texts = packages
    .flatMap((name) => filesBelow(join(modules, name), pattern))
    .slice(0, 400)
    .map((file) => readFileSync(file, 'utf8'));
  return repeated(texts.join('\n'), length, seed);
}

function filesBelow(folder, pattern) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return name === 'node_modules' ? [] : filesBelow(path, pattern);
      return pattern.test(name) ? [path] : [];
    });
}

/** Begins at another place for another seed. */
function repeated(text, length, seed) {
  const start = randomFrom(seed).below(text.length);
  const turned = text.slice(start) + text.slice(0, start);
  return turned.repeat(Math.ceil(length / turned.length));
}

const camel = (r) => r.pick(words.names) + r.pick(words.names).replace(/^./, (first) => first.toUpperCase());
const snake = (r) => `${r.pick(words.names)}_${r.pick(words.names)}`;

function pythonBlock(r) {
  const [name, argument] = [snake(r), r.pick(words.names)];
  return `def ${name}(self, ${argument}: str, *, limit: int = ${r.below(500)}) -> list[str]:
    """${prose(words.english, 60, r.below(1e9), { comma: ', ', stop: '. ' })}"""
    ${snake(r)} = [${argument}.strip() for ${argument} in self.${snake(r)} if ${argument} is not None]
    if len(${snake(r)}) >= limit:
        raise ValueError(f"too many: {${argument}!r}")
    return ${snake(r)}
`;
}

function ansiLine(r) {
  const color = r.pick(['31', '32', '33', '36', '90']);
  return `\u001b[90m2026-03-${10 + r.below(19)}T1${r.below(10)}:${10 + r.below(49)}:${10 + r.below(49)}.${100 + r.below(899)}Z\u001b[0m \u001b[1;${color}m${r.pick(['INFO', 'WARN', 'ERROR', 'DEBUG'])}\u001b[0m [${camel(r)}] ${r.pick(words.english)} ${r.pick(words.english)} id=${r.below(100_000)} took \u001b[${color}m${r.below(5000)}ms\u001b[39m`;
}

function stackTrace(r) {
  const frames = Array.from(
    { length: 4 + r.below(8) },
    () =>
      `    at ${r.pick(['async ', ''])}${camel(r)}.${camel(r)} (/home/user/project/src/${r.pick(words.names)}/${camel(r)}.ts:${1 + r.below(900)}:${1 + r.below(80)})`,
  );
  return `TypeError: Cannot read properties of undefined (reading '${camel(r)}')\n${frames.join('\n')}`;
}

/** A session: prompts, source, logs and listings in two languages, in blocks of some 2,000 characters. */
function mixed(length, seed) {
  const random = randomFrom(seed);
  const kinds = [
    'english',
    'typescript',
    'ansi log',
    'chinese',
    'python',
    'stack traces',
    'markdown',
    'package-lock',
  ];
  const sources = kinds.map((kind) => contents[kind](120_000, seed + 1));
  const parts = [];
  for (let made = 0; made < length; ) {
    const source = random.pick(sources);
    const start = random.below(source.length - 4000);
    const part = source.slice(start, start + 500 + random.below(3000));
    made += part.length;
    parts.push(part);
  }
  return parts.join('\n').toWellFormed();
}
