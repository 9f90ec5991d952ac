import type { Finding } from '../../../protocol/doctor.ts';
import { OWN_GIT_ARGUMENTS } from '../../../protocol/ownPrograms.ts';
import type { DoctorPorts } from '../types.ts';

/** Programs beside this one. */
export async function checkPrograms({ run, place }: DoctorPorts): Promise<readonly Finding[]> {
  const packed = await import('@vscode/ripgrep').then((module) => module.rgPath).catch(() => undefined);
  const [own, installed, git, bubblewrap] = await Promise.all([
    packed === undefined ? undefined : run(packed, ['--version']),
    run('rg', ['--version']),
    run('git', [...OWN_GIT_ARGUMENTS, '--version']),
    run('bwrap', ['--version']),
  ]);
  const ripgrep = own ?? installed;
  const isRepository = await run('git', [
    ...OWN_GIT_ARGUMENTS,
    '-C',
    place.root,
    'rev-parse',
    '--is-inside-work-tree',
  ]);
  return [
    ripgrep === undefined
      ? {
          id: 'ripgrep',
          label: 'ripgrep',
          state: 'missing',
          value: 'neither its package nor an rg on the PATH',
          fix: 'Searching in files needs it: install ClawdCode again without --omit=optional, or install ripgrep.',
        }
      : {
          id: 'ripgrep',
          label: 'ripgrep',
          state: 'ok',
          value: `${versionIn(ripgrep)}${own === undefined ? ' · from the PATH' : ''}`,
        },
    gitFinding(git, isRepository),
    {
      id: 'sandbox',
      label: 'Sandbox',
      state: 'ok',
      value: `none: commands run with your own rights, after the permission rules${bubblewrap === undefined ? '' : ` (bubblewrap ${versionIn(bubblewrap)} is installed and not used)`}`,
    },
  ];
}

function gitFinding(git: string | undefined, isRepository: string | undefined): Finding {
  if (git === undefined)
    return {
      id: 'git',
      label: 'git',
      state: 'warning',
      value: 'not found',
      fix: 'The model is then told nothing of branches and changes: install git.',
    };
  const where = isRepository === 'true' ? 'this folder is a repository' : 'this folder is no repository';
  return { id: 'git', label: 'git', state: 'ok', value: `${versionIn(git)} · ${where}` };
}

function versionIn(text: string): string {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? text;
}
