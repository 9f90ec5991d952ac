/** All language servers of a session: chooses one for each edited file, and how long a result waits for it. */
import { isInside } from '../disk/paths.ts';
import type {
  EditChecks,
  FileEdit,
  LanguageServerPort,
  LanguageServerStatus,
  NewProblems,
} from '../protocol/diagnostics.ts';
import { type FoundProgram, findProgram, rootFor } from './findProgram.ts';
import { LanguageServer, type ServerLimits } from './LanguageServer.ts';
import { problemsText } from './problems.ts';
import type { ProcessPorts } from './serverProcess.ts';
import { rowFor, type ServerRow, serverTable } from './serverTable.ts';

interface LanguageServersDeps extends ProcessPorts {
  readonly version: string;
  /** Absolute, links resolved. */
  readonly workspaces: readonly string[];
  /** The PATH without folders that the workspace or a command controls. */
  readonly path: string;
  /** Returns why servers must not start; undefined if they may. */
  readonly refusal: () => Promise<string | undefined>;
  /** An unguessable line. */
  readonly newFence: () => string;
  readonly isSensitive: (path: string) => boolean;
  /** Milliseconds that a result waits for a server that runs already. */
  readonly waitMs?: number;
  readonly limits?: ServerLimits;
}

const WAIT_MS = 1500;
const LIMITS: ServerLimits = { startMs: 60_000, answerMs: 30_000, openFiles: 30 };
/** Larger files are not checked. */
const MAX_CHARACTERS = 1_000_000;
/** Servers of one language; other projects of a workspace share the one in its top folder. */
const MAX_SERVERS = 3;
const MAX_LATE = 5;

interface Row {
  readonly row: ServerRow;
  readonly found: ReturnType<typeof findProgram>;
  readonly servers: Map<string, LanguageServer>;
  /** The last answer took too long: results do not wait until one is quick again. */
  isSlow: boolean;
}

export class LanguageServers implements LanguageServerPort {
  readonly #deps: LanguageServersDeps;
  readonly #rows = new Map<ServerRow, Row>();
  /** The number of the last edit of each file. */
  readonly #edits = new Map<string, number>();
  #refusal: string | undefined;
  #isStopped = false;

  constructor(deps: LanguageServersDeps) {
    this.#deps = deps;
  }

  open(): EditChecks {
    const late = new Map<string, string>();
    return {
      check: (edit, signal) => this.#check(edit, signal, late),
      takeLate() {
        const texts = [...late.values()].slice(0, MAX_LATE);
        late.clear();
        return texts;
      },
    };
  }

  async status(): Promise<readonly LanguageServerStatus[]> {
    this.#refusal = await this.#deps.refusal();
    return serverTable.flatMap((row): LanguageServerStatus[] => {
      const { found, servers } = this.#rowOf(row);
      const { language } = row;
      if (found === undefined || 'problem' in found) {
        const reason = found?.problem ?? 'not installed';
        return [{ language, program: undefined, state: { type: 'unusable', reason }, log: '' }];
      }
      const { program } = found;
      const idle =
        this.#refusal === undefined
          ? ({ type: 'idle' } as const)
          : ({ type: 'unusable', reason: this.#refusal } as const);
      if (servers.size === 0) return [{ language, program, state: idle, log: '' }];
      return [...servers.values()].map((server) => ({
        ...{ language, program, state: server.state(), log: server.log() },
      }));
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { servers } of this.#rows.values()) for (const server of servers.values()) server.stop();
  }

  async #check(
    edit: FileEdit,
    signal: AbortSignal,
    late: Map<string, string>,
  ): Promise<NewProblems | undefined> {
    const { path } = edit;
    // A later edit of the file makes an earlier text about it obsolete.
    late.delete(path);
    const number = (this.#edits.get(path) ?? 0) + 1;
    this.#edits.set(path, number);
    const row = this.#usableRow(edit);
    const workspace = this.#deps.workspaces.find((folder) => isInside(path, folder));
    if (row === undefined || workspace === undefined) return undefined;
    this.#refusal = await this.#deps.refusal();
    if (this.#refusal !== undefined || this.#isStopped) return undefined;
    const server = this.#serverOf(row, rootFor(path, row.row, workspace), workspace);
    const { waitMs = WAIT_MS } = this.#deps;
    const isRunning = server.state().type === 'running';
    const startedAt = performance.now();
    let isInTime = true;
    const found = server.check(edit).then(
      (problems): NewProblems | undefined => {
        row.isSlow = isRunning && performance.now() - startedAt > waitMs;
        if (problems.length === 0 || this.#edits.get(path) !== number) return undefined;
        const { name } = row.found.candidate;
        const text = problemsText(problems, { path, server: name, fence: this.#deps.newFence() });
        if (!isInTime) late.set(path, text);
        return { count: problems.length, text };
      },
      () => {
        row.isSlow = true;
        return undefined;
      },
    );
    const inTime = await Promise.race([
      found.then((result) => ({ result })),
      waited(isRunning && !row.isSlow ? waitMs : 0, signal),
    ]);
    if (inTime !== undefined) return inTime.result;
    isInTime = false;
    row.isSlow ||= isRunning && !signal.aborted;
    return undefined;
  }

  #usableRow({ path, before = '', after }: FileEdit): (Row & { readonly found: FoundProgram }) | undefined {
    const known = rowFor(path);
    if (known === undefined || Math.max(before.length, after.length) > MAX_CHARACTERS) return undefined;
    if (this.#deps.isSensitive(path)) return undefined;
    const row = this.#rowOf(known);
    const { found } = row;
    return found === undefined || 'problem' in found
      ? undefined
      : (row as typeof row & { found: FoundProgram });
  }

  #rowOf(row: ServerRow): Row {
    const known = this.#rows.get(row);
    if (known !== undefined) return known;
    const { path, workspaces } = this.#deps;
    const made = { row, found: findProgram(row, path, workspaces), servers: new Map(), isSlow: false };
    this.#rows.set(row, made);
    return made;
  }

  #serverOf(
    { row, found, servers }: Row & { readonly found: FoundProgram },
    root: string,
    workspace: string,
  ): LanguageServer {
    const place = servers.has(root) || servers.size < MAX_SERVERS - 1 ? root : workspace;
    const known = servers.get(place);
    if (known !== undefined) return known;
    const { version, limits = LIMITS } = this.#deps;
    const made = new LanguageServer({ row, found, root: place, version, ports: this.#deps, limits });
    servers.set(place, made);
    return made;
  }
}

/** Resolves to undefined after a time, or when the signal aborts. */
function waited(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve(undefined);
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
