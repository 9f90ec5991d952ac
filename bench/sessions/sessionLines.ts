/** One session, line by line: turns of a prompt, steps with calls and results, and compactions in between. */

import {
  compactionEntries,
  messageEntry,
  toolResultEntry,
  toolUseEntry,
} from '../../src/context/storage/newEntries.ts';
import { ENTRY_FORMAT } from '../../src/protocol/entries/fields.ts';
import type { NewEntry } from '../../src/protocol/entries.ts';
import { createRandom, type Random } from '../context/random.ts';
import type { Texts } from './texts.ts';

export interface Generated {
  readonly entries: number;
  readonly turns: number;
  readonly compactions: number;
}

export interface LineShape {
  readonly bytes: number;
  readonly seed: number;
  readonly texts: Texts;
  readonly root?: string;
  readonly startedAt?: Date;
}

/** Bytes of log after which a session of a 200,000-token window is compacted. */
const BYTES_PER_COMPACTION = 700_000;
const KEPT_AFTER_COMPACTION = 12;

/** The lines with their line feeds; a whole turn is finished beyond `bytes` only where it began before. */
export function* sessionLines(sessionId: string, shape: LineShape): Generator<string, Generated> {
  const { texts, seed, root = '/src/project', startedAt = new Date('2026-01-01T09:00:00Z') } = shape;
  const random = createRandom(seed);
  const uuids: string[] = [];
  let seq = 0;
  let bytes = 0;
  let sinceCompaction = 0;
  let time = startedAt.getTime();
  let turns = 0;
  let compactions = 0;
  let prompt = 0;
  const line = (draft: NewEntry): string => {
    const { type, subtype, ...rest } = draft;
    time += random.between(20, 9000);
    const uuid = `u${seed.toString(36)}n${seq.toString(36).padStart(12, '0')}`;
    const text = `${JSON.stringify({
      v: ENTRY_FORMAT,
      seq,
      uuid,
      parentUuid: uuids.at(-1) ?? null,
      sessionId,
      timestamp: new Date(time).toISOString(),
      type,
      subtype,
      cwd: root,
      gitBranch: seed % 3 === 0 ? 'main' : `feature/${seed % 7}`,
      version: '0.1.0',
      ...rest,
    })}\n`;
    uuids.push(uuid);
    if (uuids.length > 1000) uuids.splice(0, 500);
    seq += 1;
    const size = Buffer.byteLength(text);
    bytes += size;
    sinceCompaction += size;
    return text;
  };

  yield line(header(texts));
  do {
    turns += 1;
    yield line(messageEntry('user', texts.prompt()));
    const steps = random.lognormal(4, 0.9, 60);
    let step = 0;
    for (; step < steps && (step === 0 || bytes < shape.bytes); step++) {
      for (const draft of stepEntries(random, texts, root, seq, step === steps - 1)) yield line(draft);
      prompt = Math.min(190_000, 8_000 + Math.round(sinceCompaction / 4));
    }
    yield line({
      type: 'system',
      subtype: 'turn_end',
      message: { role: 'system', content: 'done' },
      data: { outcome: 'done', steps: step },
    });
    if (sinceCompaction < BYTES_PER_COMPACTION) continue;
    compactions += 1;
    for (const draft of compaction(texts, uuids.slice(-KEPT_AFTER_COMPACTION), prompt)) yield line(draft);
    sinceCompaction = 0;
  } while (bytes < shape.bytes);
  return { entries: seq, turns, compactions };
}

function header(texts: Texts): NewEntry {
  return {
    type: 'system',
    subtype: 'session_start',
    message: { role: 'system', content: '' },
    data: {
      systemPrompt: texts.prose(3000),
      environment: { platform: 'linux' },
      preferences: {},
      configuration: { model: 'gpt-4.1' },
    },
  };
}

/** A reply and its calls with their results; the last reply of a turn asks for nothing. */
function stepEntries(random: Random, texts: Texts, root: string, seq: number, last: boolean): NewEntry[] {
  const usage = {
    input_tokens: random.between(8_000, 120_000),
    output_tokens: random.between(40, 1500),
    cached_tokens: random.between(0, 8_000),
  };
  const reply = messageEntry('assistant', texts.prose(random.lognormal(last ? 900 : 200, 0.7, 6000)), {
    model: 'gpt-4.1',
    usage,
    finishReason: last ? 'stop' : 'tool_calls',
    durationMs: random.between(500, 20_000),
    ...(random.next() < 0.3
      ? { reasoning: { field: 'reasoning_content', text: texts.prose(random.lognormal(600, 0.6, 4000)) } }
      : {}),
  });
  if (last) return [reply];
  const calls = Array.from({ length: random.next() < 0.75 ? 1 : random.between(2, 4) }, (_, index) =>
    call(random, texts, root, `call_${seq}_${index}`),
  );
  return [reply, ...calls.map(({ use }) => use), ...calls.map(({ result }) => result)];
}

function call(
  random: Random,
  texts: Texts,
  root: string,
  id: string,
): { readonly use: NewEntry; readonly result: NewEntry } {
  const path = `${root}/${texts.path()}`;
  const name = random.pick(['Read', 'Read', 'Bash', 'Bash', 'Edit', 'Grep', 'Glob', 'Write']);
  const of = (input: object, kind: string, output: string, more: object = {}) => ({
    use: toolUseEntry({ id, name, arguments: JSON.stringify(input) }),
    result: toolResultEntry({
      id,
      name,
      status: 'ok',
      kind,
      output,
      durationMs: random.between(3, 4000),
      ...more,
    }),
  });
  switch (name) {
    case 'Read':
      return of({ file_path: path }, 'file', numbered(texts.code(random.lognormal(6000, 0.9, 60_000))), {
        filesRead: [{ path, hash: texts.hash() }],
        display: { title: `Read(${path})` },
      });
    case 'Bash':
      return of(
        { command: `npm test -- ${texts.path()}` },
        'command',
        texts.output(random.lognormal(2500, 1.1, 30_000)),
        { display: { title: `Bash(npm test)`, summary: 'exit 0' } },
      );
    case 'Edit':
    case 'Write': {
      const next = texts.code(random.lognormal(700, 0.8, 20_000));
      const input =
        name === 'Write'
          ? { file_path: path, content: next }
          : { file_path: path, old_string: texts.code(300), new_string: next };
      return of(input, 'edit', `The file ${path} was changed.`, {
        filesChanged: [{ path, kind: 'modified', hash: texts.hash(), added: 8, removed: 3 }],
        display: { title: `${name}(${path})`, diff: next.replaceAll('\n', '\n+') },
      });
    }
    case 'Grep':
      return of({ pattern: texts.path() }, 'search', texts.output(random.lognormal(1200, 0.9, 20_000)));
    default:
      return of({ pattern: '**/*.ts' }, 'list', texts.paths(random.lognormal(1500, 0.8, 20_000)));
  }
}

function compaction(texts: Texts, retained: readonly string[], preTokens: number): NewEntry[] {
  return [
    ...compactionEntries(texts.prose(6000), {
      trigger: 'auto',
      preTokens,
      postTokens: 9000,
      success: true,
      strategy: 'summary',
      retained: [...retained],
    }),
    {
      type: 'system',
      subtype: 'usage',
      message: {
        role: 'system',
        content: '',
        model: 'gpt-4.1',
        usage: { input_tokens: preTokens, output_tokens: 1800 },
      },
      data: { purpose: 'summary' },
    },
  ];
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join('\n');
}
