/**
 * The words of a made-up session: prose, code, test output, file lists. Frequencies follow Zipf's law over a few
 * thousand words, and numbers, paths and hashes are new each time, so that an index of it is as large as one of
 * real sessions.
 */
import { createHash } from 'node:crypto';
import { createRandom, type Random } from '../context/random.ts';
import { codeLines, logLines, proseLines } from '../context/trace/lines.ts';

export interface Texts {
  /** A sentence or two. */
  prompt(): string;
  /** About this many characters of each. */
  prose(characters: number): string;
  code(characters: number): string;
  output(characters: number): string;
  paths(characters: number): string;
  path(): string;
  hash(): string;
}

const starts =
  'ba be bo ca ce co da de di fa fi ga go ha ki la le lo ma me mo na ne no pa pe po ra re ri sa se so ta te to va vi wa'.split(
    ' ',
  );
const middles = 'n r l s t m st nd rt ll ck p g'.split(' ');
const ends = 'er or ing ed ion al ize ent ure ly age ist able et in um'.split(' ');
const verbs = 'get set read write parse render load save find make apply merge build check open close'.split(
  ' ',
);
const folders = 'src lib test api core ui store model report cart billing sync queue auth'.split(' ');

/** Lines of a pool are shared between texts; what makes a line its own is put in when it is used. */
const POOL_LINES = 30_000;

export function createTexts(seed: number): Texts {
  const random = createRandom(seed);
  const words = vocabulary();
  const word = (): string => words[Math.floor(words.length ** random.next()) - 1] ?? 'the';
  const hash = (): string => createHash('sha1').update(String(random.next())).digest('hex');
  const path = (): string => {
    const depth = random.between(1, 4);
    const inner = Array.from({ length: depth }, () => random.pick(folders)).join('/');
    return `${inner}/${word()}${capital(word())}.${random.pick(['ts', 'ts', 'tsx', 'py', 'md', 'json'])}`;
  };
  const sentence = (): string => {
    if (random.next() < 0.2) return random.pick(proseLines);
    const body = Array.from({ length: random.between(5, 16) }, word).join(' ');
    return `${capital(body)}.`;
  };
  const codeLine = (): string => {
    if (random.next() < 0.25) return random.pick(codeLines).replaceAll('%', () => number(random));
    const name = `${random.pick(verbs)}${capital(word())}`;
    return random.pick([
      `  const ${word()} = ${name}(${word()}, ${number(random)});`,
      `  if (${word()}.${word()} !== undefined) return ${name}(${word()}.${word()});`,
      `export function ${name}(${word()}: string, ${word()}: number): ${capital(word())} {`,
      `    ${word()}.push({ ${word()}, ${word()}: '${word()}' });`,
      `  // ${sentence()}`,
      '}',
      '',
    ]);
  };
  const outputLine = (): string => {
    if (random.next() < 0.3) return random.pick(logLines).replaceAll('%', () => number(random));
    return random.pick([
      ` ✓ ${path()} (${number(random)}) ${number(random)}ms`,
      `${path()}:${number(random)}:  ${codeLine().trim()}`,
      `[${number(random)}] ${word()} ${word()} ${word()}=${number(random)}`,
      `commit ${hash()}`,
      `    at ${word()}${capital(word())} (${path()}:${number(random)}:${number(random)})`,
    ]);
  };
  const pools = {
    prose: pool(sentence),
    code: pool(codeLine),
    output: pool(outputLine),
    paths: pool(path),
  };
  const fill = (kind: keyof typeof pools, characters: number): string => {
    const lines = pools[kind];
    const parts: string[] = [];
    for (let length = 0; length < characters; ) {
      // A run of lines that stood together before, then one that is new: like a file that is read again.
      const run = random.between(3, 12);
      const at = random.between(0, lines.length - run);
      for (let index = at; index < at + run; index++) {
        const line = lines[index] ?? '';
        parts.push(line);
        length += line.length + 1;
      }
      const fresh = kind === 'prose' ? sentence() : kind === 'code' ? codeLine() : outputLine();
      parts.push(fresh);
      length += fresh.length + 1;
    }
    return parts.join(kind === 'prose' ? ' ' : '\n');
  };
  return {
    prompt: () => `${capital(random.pick(verbs))} ${word()} in ${path()}: ${sentence()}`,
    prose: (characters) => fill('prose', characters),
    code: (characters) => fill('code', characters),
    output: (characters) => fill('output', characters),
    paths: (characters) => fill('paths', characters),
    path,
    hash,
  };
}

function pool(make: () => string): readonly string[] {
  return Array.from({ length: POOL_LINES / 4 }, make);
}

/** The same words for every seed, the commonest first. */
function vocabulary(): readonly string[] {
  const random = createRandom(7);
  const made = new Set(
    'the a to of is it that and in for this file when so be not with on as by we test run function value'.split(
      ' ',
    ),
  );
  while (made.size < 6000) {
    const middle = random.next() < 0.6 ? random.pick(starts) : '';
    made.add(`${random.pick(starts)}${random.pick(middles)}${middle}${random.pick(ends)}`);
  }
  return [...made];
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const number = (random: Random): string => String(random.between(1, 100_000));
