import type { Finding } from '../../../commands/pages/doctorPage.ts';
import type { SandboxState } from '../../../protocol/sandbox.ts';
import type { DoctorPorts } from '../ports.ts';

/** Checks the other programs that are needed. */
export async function checkPrograms({ run, git, sandbox }: DoctorPorts): Promise<readonly Finding[]> {
  const packed = await import('@vscode/ripgrep').then((module) => module.rgPath).catch(() => undefined);
  const [own, installed, version, repository, state] = await Promise.all([
    packed === undefined ? undefined : run(packed, ['--version']),
    run('rg', ['--version']),
    git(['--version']),
    git(['rev-parse', '--is-inside-work-tree']),
    sandbox(),
  ]);
  const ripgrep = own ?? installed;
  return [
    ripgrep === undefined
      ? {
          id: 'ripgrep',
          label: 'ripgrep',
          state: 'missing',
          value: 'neither its package nor rg on the PATH',
          fix: 'Searching in files needs it: reinstall ClawdCode without --omit=optional, or install ripgrep.',
        }
      : {
          id: 'ripgrep',
          label: 'ripgrep',
          state: 'ok',
          value: `${versionIn(ripgrep)}${own === undefined ? ' · from the PATH' : ''}`,
        },
    gitFinding(version, repository.output === 'true'),
    sandboxFinding(state),
  ];
}

function sandboxFinding(state: SandboxState): Finding {
  const common = { id: 'sandbox', label: 'Sandbox' } as const;
  if (state.type === 'on') return { ...common, state: 'ok', value: `commands are confined (${state.mode})` };
  const value = `none: ${state.reason}; commands run with your own rights, subject to the permission rules`;
  return state.type === 'off'
    ? { ...common, state: 'ok', value }
    : { ...common, state: 'warning', value, fix: state.fix };
}

function gitFinding(
  { output, problem }: Awaited<ReturnType<DoctorPorts['git']>>,
  isInRepository: boolean,
): Finding {
  const common = { id: 'git', label: 'git' } as const;
  if (output === undefined)
    return {
      ...common,
      ...{ state: 'warning', value: 'cannot be used here' },
      fix: `${problem} With git, the model sees branches and changes.`,
    };
  const where = isInRepository ? 'this folder is a repository' : 'this folder is not a repository';
  return { ...common, state: 'ok', value: `${versionIn(output)} · ${where}` };
}

function versionIn(text: string): string {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? text;
}

/** The minimum Node version; the same as in package.json. */
const NEEDED = [22, 16] as const;

export function checkNode({ node }: DoctorPorts): readonly Finding[] {
  const [major = 0, minor = 0] = node.version.split('.').map(Number);
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  const value = `${node.version} on ${node.platform} · ${node.path}`;
  const fix = `Install Node ${NEEDED.join('.')} or newer (nodejs.org).`;
  return [{ id: 'node', label: 'Node', value, ...(isEnough ? { state: 'ok' } : { state: 'missing', fix }) }];
}
