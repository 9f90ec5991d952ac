/** A test agent with the real tools and real file checkpoints on the project folder. */
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentDeps } from '../../../src/agent/agentDeps.ts';
import { recordCutShort } from '../../../src/agent/rewind/cutShort.ts';
import {
  createFileCheckpoints,
  type OpenFileCheckpoints,
} from '../../../src/checkpoints/createFileCheckpoints.ts';
import { BlobStore } from '../../../src/context/index.ts';
import type { FileCheckpoints, RewindReport } from '../../../src/protocol/checkpoints.ts';
import { builtinTools } from '../../../src/tools/builtinTools.ts';
import { type Given, startAgent, type TestAgent } from '../testAgent.ts';

export interface RewindTest extends TestAgent {
  readonly at: (path: string) => string;
  put(path: string, text: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
  /** Every path in the project with its content: text, mode or link target. */
  tree(): Promise<Record<string, string>>;
  /** The uuid of the prompt with this text. */
  prompt(text: string): string;
  back(text: string, scope: 'both' | 'conversation' | 'files'): Promise<RewindReport>;
  undo(): Promise<RewindReport>;
  /** Undoes a rewind of an earlier process; the first attempt only shows the changes. */
  undoShown(): Promise<RewindReport>;
  /** The messages that the model would get now: role and text. */
  conversation(): string[];
}

const REPEAT = 'Run /rewind undo again to do that.';

export async function startRewindTest(
  given: Given & { readonly wrap?: (files: FileCheckpoints) => FileCheckpoints } = {},
): Promise<RewindTest> {
  const { wrap, ...rest } = given;
  const folder = given.resume?.folder ?? (await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-rewind-'))));
  const deps = realDeps(folder);
  const files = wrap?.(deps.files) ?? deps.files;
  const set = await startAgent({ ...deps, ...rest, folder, ...(files === undefined ? {} : { files }) });
  const { agent, context } = set;
  if (given.resume !== undefined && files !== undefined) await recordCutShort(context, files);
  const report = async (op: Parameters<typeof agent.submit>[0]): Promise<RewindReport> => {
    const from = set.events.length;
    await set.run(op);
    const told = set.events.slice(from).find((event) => event.type === 'rewind_ended');
    if (told?.type !== 'rewind_ended') throw new Error('Nobody told what came of it.');
    return told.report;
  };
  const prompt = (text: string): string => {
    const found = context
      .entries()
      .findLast((one) => one.subtype === 'prompt' && one.message.content === text);
    if (found === undefined) throw new Error(`There is no prompt "${text}".`);
    return found.uuid;
  };
  const at = (path: string): string => join(set.root, path);
  return {
    ...set,
    at,
    async put(path, text, mode) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
      if (mode !== undefined) await chmod(at(path), mode);
    },
    remove: (path) => rm(at(path), { recursive: true }),
    tree: () => treeOf(set.root),
    prompt,
    back: (text, scope) => report({ type: 'rewind', to: prompt(text), scope }),
    undo: () => report({ type: 'undo_rewind' }),
    async undoShown() {
      const first = await report({ type: 'undo_rewind' });
      return first.message.endsWith(REPEAT) ? report({ type: 'undo_rewind' }) : first;
    },
    conversation: () => context.getMessages().map(({ role, content }) => `${role}: ${String(content)}`),
  };
}

type RealDeps = Pick<Required<AgentDeps>, 'runningCalls' | 'tools' | 'disposeTools'> & {
  readonly files: OpenFileCheckpoints;
};

/** Tools and checkpoints for the test's folder. */
function realDeps(folder: string): RealDeps {
  const root = join(folder, 'project');
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const { tools, dispose, runningCalls } = builtinTools({ env, home: folder, shell: '/bin/bash' });
  const files = createFileCheckpoints({
    root,
    folder: join(folder, 'unchanged'),
    blobs: new BlobStore(join(folder, 'contents')),
    env,
  });
  return { tools: () => tools, disposeTools: dispose, runningCalls, files };
}

async function treeOf(folder: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const full = join(folder, path);
    const info = await lstat(full);
    const mode = (info.mode & 0o777).toString(8);
    if (name === '.git') continue;
    if (info.isSymbolicLink()) found[path] = `-> ${await readlink(full)}`;
    else if (info.isDirectory()) Object.assign(found, { [`${path}/`]: mode }, await treeOf(folder, path));
    else found[path] = `${mode} ${await readFile(full, 'utf8')}`;
  }
  return found;
}
