/** A temporary project and a context for calls in it; it remembers reads as the log would. */
import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobRef } from '../../src/protocol/entries/fields.ts';
import type { Grant } from '../../src/protocol/permissions.ts';
import type { BlobSink, ToolContext, ToolOutcome } from '../../src/protocol/tools.ts';
import { builtinTools, type ToolDeps } from '../../src/tools/builtinTools.ts';

const MAX_KEPT = 4_000_000;

export interface Workbench {
  readonly root: string;
  readonly tools: ReturnType<typeof builtinTools>;
  /** The live output so far; of very long output, the start. */
  readonly live: () => string;
  readonly cwd: () => string;
  /** Presses Ctrl+B; returns the number of calls moved to the background. */
  readonly move: () => number;
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** Prepares and runs a call; an invalid one returns its message as an error. */
  readonly call: (tool: string, input: unknown, signal?: AbortSignal, grant?: Grant) => Promise<ToolOutcome>;
  readonly prepare: (
    tool: string,
    input: unknown,
    signal?: AbortSignal,
  ) => ReturnType<ReturnType<typeof builtinTools>['tools'][0]['prepare']>;
  readonly close: () => Promise<void>;
}

export async function openWorkbench(
  deps: Partial<ToolDeps> = {},
  about: Partial<ToolContext> = {},
): Promise<Workbench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-tools-')));
  const tools = builtinTools({ env: process.env, home: homedir(), shell: '/bin/bash', ...deps });
  const seen = new Map<string, string>();
  const blobs = new Map<string, Buffer>();
  let cwd = root;
  let live = '';
  const offers = new Set<() => void>();
  const contextFor = (signal: AbortSignal): ToolContext => ({
    callId: 'call',
    sessionId: 'session',
    root,
    cwd: () => cwd,
    setCwd: (directory) => {
      cwd = directory;
    },
    signal,
    onOutput: (text) => {
      if (live.length < MAX_KEPT) live += text;
    },
    offerBackground: (move) => {
      offers.add(move);
      return () => offers.delete(move);
    },
    fileReads: (path) => seen.get(path),
    openBlob: () => memoryBlob(blobs),
    recall: () => Promise.resolve({ found: false, text: 'Nothing in this session has that pointer.' }),
    ...about,
  });
  const prepare: Workbench['prepare'] = (name, input, signal = new AbortController().signal) => {
    const tool = tools.tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.prepare(input, contextFor(signal));
  };
  return {
    root,
    tools,
    live: () => live,
    cwd: () => cwd,
    move() {
      const moved = [...offers];
      for (const move of moved) move();
      return moved.length;
    },
    blobs,
    prepare,
    call: async (name, input, signal = new AbortController().signal, grant = { basis: 'own' }) => {
      const tool = tools.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const prepared = await tool.prepare(input, contextFor(signal));
      if (prepared.type === 'invalid') {
        return { status: 'error', text: prepared.message, kind: 'text', display: { title: 'invalid' } };
      }
      const outcome = await prepared.run(grant);
      for (const { path, hash } of outcome.filesRead ?? []) seen.set(path, hash);
      for (const { path, hash } of outcome.filesChanged ?? []) if (hash !== undefined) seen.set(path, hash);
      return outcome;
    },
    close: async () => {
      await tools.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Keeps small contents as bytes; for 200 MB, hash and size are enough. */
function memoryBlob(blobs: Map<string, Buffer>): BlobSink {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let bytes = 0;
  return {
    write: (chunk) => {
      const buffer = Buffer.from(chunk);
      hash.update(buffer);
      bytes += buffer.length;
      if (bytes < MAX_KEPT) kept.push(buffer);
    },
    finish: async (): Promise<BlobRef> => {
      const ref = { hash: hash.digest('hex'), bytes };
      blobs.set(ref.hash, Buffer.concat(kept));
      return ref;
    },
    discard: async () => undefined,
  };
}
