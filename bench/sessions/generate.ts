/**
 * Made-up sessions as the program would have written them: valid logs of any size, and folders full of small ones.
 * `node bench/sessions/generate.ts <file> <megabytes> [seed]` writes one.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectSlug } from '../../src/context/storage/pathUtils.ts';
import { createRandom } from '../context/random.ts';
import { type Generated, sessionLines } from './sessionLines.ts';
import { createTexts, type Texts } from './texts.ts';

export interface SessionShape {
  /** Bytes of the log, reached to within one entry. */
  readonly bytes: number;
  readonly seed: number;
  /** The project's root, recorded in each line. */
  readonly root?: string;
  readonly startedAt?: Date;
  /** Shared between many small sessions: making the words takes longer than a session. */
  readonly texts?: Texts;
}

/** Writes a session; its id is the file's name. The folders are made, and both are private to the user. */
export async function generateSession(file: string, shape: SessionShape): Promise<Generated> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const out = createWriteStream(file, { mode: 0o600, highWaterMark: 4 * 2 ** 20 });
  const id = basename(file, '.jsonl');
  const lines = sessionLines(id, { ...shape, texts: shape.texts ?? createTexts(shape.seed) });
  let step = lines.next();
  let batch: string[] = [];
  let length = 0;
  for (; step.done !== true; step = lines.next()) {
    batch.push(step.value);
    length += step.value.length;
    if (length < 2 ** 20) continue;
    if (!out.write(batch.join(''))) await once(out, 'drain');
    batch = [];
    length = 0;
  }
  out.end(batch.join(''));
  await once(out, 'close');
  return step.value;
}

export interface Many {
  readonly count: number;
  readonly seed: number;
  /** Roots of the projects that they are spread over; the first has half of them. */
  readonly roots?: readonly string[];
  /** Median size in bytes; sizes are lognormal. */
  readonly medianBytes?: number;
}

/** Writes many sessions below `<dataRoot>/projects`, a minute to an hour apart, and answers their files. */
export async function generateMany(dataRoot: string, many: Many): Promise<readonly string[]> {
  const { count, seed, medianBytes = 12_000 } = many;
  const roots = many.roots ?? Array.from({ length: 8 }, (_, index) => `/src/project-${index}`);
  const random = createRandom(seed);
  const texts = createTexts(seed);
  const files: string[] = [];
  let time = Date.parse('2026-01-01T00:00:00Z');
  for (let index = 0; index < count; index++) {
    const root = (random.next() < 0.5 ? roots[0] : random.pick(roots)) ?? '/src/project';
    const id = `s${seed.toString(36)}x${index.toString(36).padStart(8, '0')}`;
    const file = join(dataRoot, 'projects', projectSlug(root), `${id}.jsonl`);
    time += random.between(60_000, 3_600_000);
    const bytes = random.lognormal(medianBytes, 0.7, 40 * medianBytes);
    await generateSession(file, {
      bytes,
      seed: seed + index + 1,
      root,
      startedAt: new Date(time),
      texts,
    });
    files.push(file);
  }
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', megabytes = '10', seed = '1'] = process.argv.slice(2);
  const started = performance.now();
  const made = await generateSession(file, { bytes: Number(megabytes) * 1e6, seed: Number(seed) });
  const { size } = await stat(file);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${file}: ${(size / 1e6).toFixed(1)} MB, ${made.entries} entries, ${made.turns} turns in ${seconds} s`,
  );
}
