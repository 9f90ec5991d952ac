/** Runs commands in a real shell in separate namespaces, and returns the output of each. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { commands } from '../../../src/permissions/readOnly/commands.ts';
import { searchOptions } from '../../../src/permissions/readOnly/search.ts';
import { quoteWord } from '../../../src/protocol/text/quoteWord.ts';
import { readOnlyEnvironment } from '../../../src/tools/shell/childEnvironment.ts';
import { type Arena, MARK } from './arena.ts';

export interface Job {
  readonly command: string;
  /** The working directory, relative to the project. */
  readonly folder: string;
}

export interface Ran {
  /** The output of each command on both streams, with its status; undefined = still running, or not reached. */
  readonly outputs: readonly (string | undefined)[];
  /** Packets and connection attempts, as counted by the namespace's kernel. */
  readonly network: string;
}

/** A command without output that does not end for this long is waiting for something. */
const PATIENCE_MS = 4000;
/** Longer output is cut; an endless loop is stopped at the timeout. */
const MAX_BYTES = 50_000_000;
/** Values of variables that must not be printed; the output must not depend on which one is set. */
export const tokens = [`a${MARK}-1`, `b${MARK}-2`] as const;

/** The installed shells of the list. */
export const shellsHere = (): readonly string[] =>
  ['bash', 'dash', 'zsh'].filter((name) => spawnSync(name, ['-c', ':']).status === 0);

/** Programs known to the reader that are not installed, so nothing is tested about them. */
export async function programsMissing(arena: Arena, tools = ''): Promise<readonly string[]> {
  const others = [
    'git',
    'sed',
    'awk',
    'gawk',
    'mawk',
    'jq',
    'find',
    'xargs',
    'unzip',
    'zipinfo',
    'tar',
    'ps',
  ];
  const known = [...Object.keys(commands), ...Object.keys(searchOptions), ...others];
  const asked = known.map((name) => ({ command: `type -- ${name}`, folder: '.' }));
  const { outputs } = await confined('bash', asked, arena, { tools });
  return known.filter((_, at) => outputs[at]?.endsWith('\u00010') !== true);
}

/** True if this machine can create namespaces. */
export const canConfine = (): boolean =>
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0;

const END = '\u0001end\u0001';
const LAST = '\u0001last\u0001';

/** Runs the commands one after the other. Programs in `tools` take precedence over the system's. */
export function confined(
  shell: string,
  jobs: readonly Job[],
  { root, home, top }: Arena,
  { tools = '', token = tokens[0] as string } = {},
): Promise<Ran> {
  const env = readOnlyEnvironment(
    {
      PATH: `node_modules/.bin:${join(root, 'node_modules/.bin')}:${join(top, 'tempting')}:${tools}:${process.env.PATH ?? ''}`,
      HOME: home,
      TOKEN: token,
      GITHUB_TOKEN: token,
      LANG: 'C.UTF-8',
    },
    [root],
  );
  const args = [
    ...[
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      top,
      top,
      '--bind',
      join(top, 'tmp'),
      '/tmp',
    ],
    ...['--bind', join(top, 'shm'), '/dev/shm', '--bind', join(top, 'mnt'), '/mnt', '--bind', top, top],
    ...[
      '--unshare-all',
      '--die-with-parent',
      '--chdir',
      root,
      shell,
      ...(shell === 'zsh' ? ['-f'] : []),
      '-s',
    ],
  ];
  const script = jobs
    .map(
      ({ command, folder }) =>
        `( cd ${quoteWord(folder)}; eval ${quoteWord(command)} ) </dev/null\nprintf '${END}%s\\n' "$?"\n`,
    )
    .join('');
  const last = `printf '${LAST}'; cat /proc/net/snmp\n`;
  return new Promise((resolve) => {
    const child = spawn('bwrap', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let bytes = 0;
    const chunks: Buffer[] = [];
    const stop = (): unknown => child.kill('SIGKILL');
    let timer = setTimeout(stop, PATIENCE_MS);
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) stop();
      else chunks.push(chunk);
      if (!chunk.includes(END)) return;
      clearTimeout(timer);
      timer = setTimeout(stop, PATIENCE_MS);
    };
    child.stdout.on('data', take);
    child.on('close', () => {
      clearTimeout(timer);
      resolve(readOutputs(Buffer.concat(chunks).toString('utf8'), jobs.length));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`exec 2>&1\n${script}${last}`);
  });
}

function readOutputs(text: string, count: number): Ran {
  const [all = '', counters = ''] = text.split(LAST);
  const pieces = all.split(END);
  const outputs = Array.from({ length: count }, (_, at) => {
    const status = pieces[at + 1];
    return status === undefined
      ? undefined
      : `${withoutStatus(pieces[at] ?? '', at)}\u0001${status.split('\n')[0]}`;
  });
  return { outputs, network: networkOf(counters) };
}

/** The output of a command starts with the status of the previous one. */
const withoutStatus = (piece: string, at: number): string =>
  at === 0 ? piece : piece.slice(piece.indexOf('\n') + 1);

/** Opened connections, and packets sent or not routable: all zero if the network was not used. */
function networkOf(snmp: string): string {
  const lines = snmp.split('\n').map((line) => line.split(' '));
  const wanted = ['OutNoRoutes', 'OutRequests', 'ActiveOpens', 'OutDatagrams'];
  return lines
    .flatMap(([kind = '', ...names], at) =>
      names.flatMap((name, index) => {
        const value = lines[at + 1]?.[index + 1];
        return wanted.includes(name) && value !== undefined && value !== '0'
          ? [`${kind}${name} ${value}`]
          : [];
      }),
    )
    .join(', ');
}
