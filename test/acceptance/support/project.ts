/** Tests at the level of the command line: `clawdcode -p` in a temporary repository, with a real server on loopback. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { ScriptedReply, WireRequest } from '../../e2e/support/server.ts';
import {
  type Printed,
  type PrintOptions,
  setUpProgram,
  type TestProgram,
} from '../../e2e/support/testProgram.ts';

export type Answer = ScriptedReply | ((request: WireRequest) => ScriptedReply);

export interface PrintRun extends Printed {
  /** The `result` object; undefined in text mode, or if nothing was printed. */
  readonly result: ResultObject | undefined;
  /** All lines of stream-json, or the only line of json. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The requests of this run, oldest first. */
  readonly requests: readonly WireRequest[];
  /** The lines of the session's log on disk. */
  readonly entries: readonly JSONLEntry[];
  readonly sessionId: string;
}

/** The parts of a `result` object that tests check. */
export interface ResultObject {
  readonly result?: string;
  readonly is_error: boolean;
  readonly session_id: string;
  readonly context_usage: {
    readonly context_window: number;
    readonly compacts_at: number;
    readonly used_tokens: number;
    readonly parts: readonly { readonly name: string; readonly tokens: number }[];
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

export interface RunOptions extends PrintOptions {
  /** Replies to the requests of this run, in order; all of them must be requested. */
  readonly replies?: readonly Answer[];
  /** Resumes this session. */
  readonly resume?: string;
  readonly format?: 'json' | 'stream-json' | 'text';
  readonly flags?: readonly string[];
}

export interface Project extends TestProgram {
  /** Runs to the end. Fails if a scripted reply was not requested. */
  run(prompt: string, options?: RunOptions): Promise<PrintRun>;
  /** Writes the user's `config.json`; settings apply from the next run on. */
  configure(settings: object): Promise<void>;
  /** Reads a blob by the start of its hash. */
  blob(hash: string): Promise<Buffer>;
}

export interface ProjectOptions {
  /** The user's `config.json`. */
  readonly settings?: object;
  /** Files of the repository, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Context window of the model, in tokens. */
  readonly window?: number;
  /**
   * True: the server counts the tokens of each request and reports them, which is slow. By default it reports nothing.
   */
  readonly reportsUsage?: boolean;
}

/** Call it inside a test. All tools run without approval. */
export async function openProject({
  settings = {},
  files = {},
  window,
  reportsUsage = false,
}: ProjectOptions = {}): Promise<Project> {
  const setup = await setUpProgram(undefined, window === undefined ? {} : { window });
  const { server, work } = setup;
  const configure = async (given: object): Promise<void> => {
    await mkdir(work.data, { recursive: true, mode: 0o700 });
    await writeFile(join(work.data, 'config.json'), JSON.stringify(given));
  };
  await configure(settings);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(work.repository, path)), { recursive: true });
    await work.write(path, text);
  }
  return {
    ...setup,
    configure,
    async run(prompt, { replies = [], resume, format = 'json', flags = [], ...options } = {}) {
      const before = server.requests().length;
      server.script(...(reportsUsage ? replies : replies.map(silently)));
      const session = resume === undefined ? [] : ['--resume', resume];
      const mode = ['-p', '--yolo', '--output-format', format];
      const printed = await setup.print([...mode, ...session, ...flags, prompt], options);
      if (server.left() > 0)
        throw new Error(
          `${server.left()} replies were not asked for. ${printed.stdout.slice(-2000)}\n${printed.stderr}`,
        );
      const lines = format === 'text' ? [] : jsonLines(printed.stdout);
      const result = lines.findLast((line) => line.type === 'result') as ResultObject | undefined;
      const session_id = result?.session_id ?? resume ?? '';
      const entries = session_id === '' ? [] : await readEntries(work.data, session_id);
      const requests = server.requests().slice(before);
      return { ...printed, result, lines, requests, entries, sessionId: session_id };
    },
    async blob(hash) {
      const folder = join(work.data, 'projects');
      const names = await readdir(folder, { recursive: true });
      const found = names.find((name) => /\/blobs\//.test(name) && name.replaceAll('/', '').includes(hash));
      if (found === undefined) throw new Error(`There is no original ${hash}.`);
      return readFile(join(folder, found));
    },
  };
}

/** One run in its own project; `again` resumes its session. */
export async function runPrint(
  prompt: string,
  { settings, files, window, reportsUsage, ...options }: ProjectOptions & RunOptions = {},
): Promise<
  PrintRun & { readonly project: Project; again(prompt: string, options?: RunOptions): Promise<PrintRun> }
> {
  const project = await openProject({
    ...(settings === undefined ? {} : { settings }),
    ...(files === undefined ? {} : { files }),
    ...(window === undefined ? {} : { window }),
    ...(reportsUsage === undefined ? {} : { reportsUsage }),
  });
  const first = await project.run(prompt, options);
  return {
    ...first,
    project,
    again: (next, more = {}) => project.run(next, { resume: first.sessionId, ...more }),
  };
}

/** An implausible usage report, which is ignored; saves counting tokens for it. */
export const SILENT = { usage: { prompt_tokens: 0, completion_tokens: 0 } };

/** Removes the usage report, unless the answer has its own. */
export function silently(answer: Answer): Answer {
  return typeof answer === 'function'
    ? (request) => ({ ...SILENT, ...answer(request) })
    : { ...SILENT, ...answer };
}

/** A tool call in a script. */
export const use = (name: string, input: unknown): { name: string; input: unknown } => ({ name, input });

/** A summary with the six headings, as the reply to a summary request. */
export const SUMMARY = `1. Primary request and intent
Read the files. The user said: "leave nothing out".
2. Key technical decisions
None yet.
3. Files modified
None.
4. Errors encountered and fixes
None.
5. Current work status
Reading goes on.
6. Pending tasks
Read the rest.`;

/** True for a request for a summary. */
export function isSummary(request: WireRequest): boolean {
  return request.tool_choice === 'none';
}

/** The readable lines; a test may have damaged others. */
async function readEntries(data: string, sessionId: string): Promise<JSONLEntry[]> {
  const names = await readdir(join(data, 'projects'), { recursive: true }).catch(() => []);
  const name = names.find((one) => one.endsWith(`${sessionId}.jsonl`));
  if (name === undefined) return [];
  const lines = (await readFile(join(data, 'projects', name), 'utf8')).split('\n');
  return lines.flatMap((line) => {
    try {
      const { crc: _, ...entry } = JSON.parse(line);
      return [entry as JSONLEntry];
    } catch {
      return [];
    }
  });
}

function jsonLines(stdout: string): Record<string, unknown>[] {
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
}
