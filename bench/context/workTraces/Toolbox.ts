/**
 * The tools of a work trace: the product's own Read and Edit on real files, a search, and commands whose output is part
 * of the plan. Which files were read is remembered here rather than in the engine, so that every policy gets the same
 * results.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolCall } from '../../../src/protocol/messages.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../../src/protocol/tools.ts';
import { editTool } from '../../../src/tools/edit.ts';
import { readTool } from '../../../src/tools/read.ts';
import type { Action } from './plan.ts';

/** Lines that a search shows at most. */
const MOST_HITS = 15;
/** Lines that are read around a text when the whole file did not fit. */
const RANGE_LINES = 120;

export class Toolbox {
  readonly #root: string;
  readonly #paths: readonly string[];
  readonly #tools: { readonly Read: Tool; readonly Edit: Tool };
  readonly #seen = new Map<string, string>();

  /** `paths`: the files of the project, relative to `root`. */
  constructor(root: string, paths: readonly string[]) {
    this.#root = root;
    this.#paths = paths;
    this.#tools = { Read: readTool(root), Edit: editTool(root) };
  }

  /** Runs one action. In its text the root is always `/repo`, so that token counts do not depend on the machine. */
  async run(action: Action): Promise<ToolOutcome> {
    const outcome = await this.#outcome(action);
    return { ...outcome, text: outcome.text.replaceAll(this.#root, '/repo') };
  }

  async #outcome(action: Action): Promise<ToolOutcome> {
    switch (action.tool) {
      case 'Read':
        return this.#file('Read', { file_path: action.path, ...(await this.#rangeOf(action)) });
      case 'Edit':
        return this.#file('Edit', inputOf(action));
      case 'Grep':
        return this.#search(action.pattern);
      case 'Bash': {
        const { command, output: text, failed } = action;
        const display = { title: command, summary: failed ? 'exit 1' : 'exit 0' };
        return { status: failed ? 'error' : 'ok', text, kind: 'command', display };
      }
    }
  }

  async #file(name: 'Read' | 'Edit', input: object): Promise<ToolOutcome> {
    const prepared = await this.#tools[name].prepare(input, this.#context());
    if (prepared.type === 'invalid') throw new Error(prepared.message);
    const outcome = await prepared.run({ basis: 'own' });
    for (const { path, hash } of outcome.filesRead ?? []) this.#seen.set(path, hash);
    for (const { path, hash } of outcome.filesChanged ?? [])
      if (hash !== undefined) this.#seen.set(path, hash);
    return outcome;
  }

  async #rangeOf({ path, near }: Extract<Action, { tool: 'Read' }>): Promise<object> {
    if (near === undefined) return {};
    const text = await readFile(join(this.#root, path), 'utf8');
    const line = text.slice(0, Math.max(0, text.indexOf(near))).split('\n').length;
    return { offset: Math.max(1, line - RANGE_LINES / 2), limit: RANGE_LINES };
  }

  async #search(pattern: string): Promise<ToolOutcome> {
    const hits: string[] = [];
    for (const path of this.#paths) {
      const lines = (await readFile(join(this.#root, path), 'utf8')).split('\n');
      for (const [index, line] of lines.entries())
        if (line.includes(pattern)) hits.push(`${path}:${index + 1}:${line}`);
    }
    const text = hits.slice(0, MOST_HITS).join('\n');
    return {
      status: 'ok',
      text,
      kind: 'search',
      display: { title: pattern, summary: `${hits.length} lines` },
    };
  }

  #context(): ToolContext {
    return {
      callId: 'call',
      sessionId: 'session',
      root: this.#root,
      cwd: () => this.#root,
      setCwd: () => {},
      signal: new AbortController().signal,
      onOutput: () => {},
      fileReads: (path) => this.#seen.get(path),
      openBlob: () => {
        throw new Error('Neither Read nor Edit keeps output of its own.');
      },
      recall: async () => ({ found: false, text: '' }),
    };
  }
}

/** The call that a model would make for an action. */
export function callOf(action: Action, id: string): ToolCall {
  return { id, name: action.tool, arguments: JSON.stringify(inputOf(action)) };
}

function inputOf(action: Action): object {
  switch (action.tool) {
    case 'Read':
      return { file_path: action.path, ...(action.near === undefined ? {} : { limit: RANGE_LINES }) };
    case 'Grep':
      return { pattern: action.pattern, path: 'src' };
    case 'Bash':
      return { command: action.command };
    case 'Edit':
      return { file_path: action.path, old_string: action.oldText, new_string: action.newText };
  }
}
