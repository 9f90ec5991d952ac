/** Repositories in and around a project whose commands run in a real sandbox. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Confined, confined, type Given } from './confined.ts';

/** A project in a sandbox, and git as the user runs it. */
export interface Project extends Confined {
  /** Runs git outside the sandbox, as the user does. */
  git(folder: string, ...args: string[]): string;
  /** Appends a setting that runs a program to a file. Relative paths start at the project. */
  readonly evil: (file: string) => string;
  /** True if that program has run after the user runs git status in these folders of the project. */
  isRunByStatus(...folders: string[]): boolean;
}

/**
 * Creates a project with an empty folder. Commands may change git folders, as if each were a git command or settings
 * opened the folders; `gitReadOnly.test.ts` tests other commands.
 */
export async function project(given: Given = {}): Promise<Project> {
  const opened = await confined({ mayChangeGit: true, ...given });
  const { home, root } = opened;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_CONFIG_COUNT: '3', GIT_CONFIG_KEY_0: 'user.email', GIT_CONFIG_VALUE_0: 'a@b.c' },
    ...{ GIT_CONFIG_KEY_1: 'user.name', GIT_CONFIG_VALUE_1: 'A' },
    ...{ GIT_CONFIG_KEY_2: 'protocol.file.allow', GIT_CONFIG_VALUE_2: 'always' },
  };
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: join(root, folder), env, encoding: 'utf8', stdio: 'pipe' });
  return {
    ...opened,
    git,
    evil: (file) => `printf '[core]\\n\\tfsmonitor = touch ${home}/ran\\n' >> ${file}`,
    isRunByStatus(...folders) {
      for (const folder of folders)
        try {
          git(folder, 'status');
        } catch {
          // Git may reject what a command left behind.
        }
      return existsSync(join(home, 'ran'));
    },
  };
}

/** A repository with a commit. */
export function repository({ git, root }: Project, folder: string): void {
  mkdirSync(join(root, folder), { recursive: true });
  git(folder, 'init', '-q');
  git(folder, 'commit', '-qm', 'one', '--allow-empty');
}

/** The project, with a submodule at each path. */
export function withSubmodules(given: Project, ...paths: string[]): void {
  const { git, home } = given;
  repository(given, '.');
  repository(given, '../lib');
  for (const path of paths) git('.', 'submodule', 'add', '-q', join(home, 'lib'), path);
  git('.', 'commit', '-qam', 'submodules');
}
