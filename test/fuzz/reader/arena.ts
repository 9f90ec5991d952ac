/** The folders in which random commands run: a home, a project in it, and other files around it, each with traps. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Contained in files that must not be shown, in their names, and in the values of variables that must not be printed.
 */
export const MARK = 'MARKED';
const secret = `${MARK} hidden\n`;

/**
 * `clean` is an everyday project, in which no trap restricts patterns. The others add: links that lead out; names that
 * are options, are split or are not valid text; ignore files that reinclude hidden files; secrets tracked by git; a git
 * folder from an archive whose files lead out.
 */
export const arenaKinds = ['clean', 'links', 'names', 'ignores', 'tracked', 'archive'] as const;
export type ArenaKind = (typeof arenaKinds)[number];

export interface Arena {
  /** Everything that a command could change is in this folder. */
  readonly top: string;
  readonly root: string;
  readonly home: string;
  /** Files that no command may read without approval. */
  readonly unread: readonly string[];
}

/** Programs that others start on their own and that use the network or run given commands. */
const tempting = [
  'ssh',
  'rsh',
  'gpg',
  'pager',
  'vi',
  'editor',
  'sensible-editor',
  'pr',
  'nc',
  'curl',
  'xdg-open',
];

/** Secrets in the project. If one is not hidden, every search of everything needs approval; without any, none does. */
const hidden = ['.env', '.env.local', 'src/.env', '.hidden/.env'];
const secrets: Readonly<Record<ArenaKind, readonly string[]>> = {
  clean: hidden,
  links: [],
  names: [],
  ignores: [...hidden, 'secret/id_rsa'],
  tracked: ['.env', 'src/.env', 'secret/id_rsa'],
  archive: [],
};

/** Creates the tree. With `traps`, the project's root also contains files named like options. */
export function makeArena(top: string, kind: ArenaKind = 'links', traps = false): Arena {
  const home = join(top, 'home');
  const root = join(home, 'project');
  const at = (path: string): string => join(root, path);
  const file = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text, { mode });
    chmodSync(at(path), mode);
    // Git rereads files that are as new as its index.
    utimesSync(at(path), 1_600_000_000, 1_600_000_000);
  };
  const link = (target: string, path: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    symlinkSync(target, at(path));
  };
  const gitIn = (folder: string, ...args: readonly string[]): void => {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.abbrev=7', '-C', folder];
    spawnSync('git', [...own, ...args], { stdio: 'ignore' });
  };
  const git = (...args: readonly string[]): void => gitIn(root, ...args);

  for (const folder of ['tmp', 'shm', 'mnt']) mkdirSync(join(top, folder), { recursive: true, mode: 0o777 });
  // The top is also mounted at its own path, which may lie below one of these: the mount point must not count as a change.
  for (const [mounted, name] of [
    ['/tmp', 'tmp'],
    ['/dev/shm', 'shm'],
    ['/mnt', 'mnt'],
  ] as const)
    if (top.startsWith(`${mounted}/`))
      mkdirSync(join(top, name, relative(mounted, top)), { recursive: true });
  const outside = [
    '../../outside/o.txt',
    `../../outside/${MARK}-name`,
    '../.ssh/id_rsa',
    `../.ssh/${MARK}-key`,
    '../n.txt',
  ];
  for (const path of outside) file(path, secret);
  for (const path of secrets[kind]) file(path, secret);
  file('../../mnt/secret.txt', secret);

  for (const path of ['a.txt', 'b.txt', 'my file.txt']) file(path, 'one x,2\n../../outside/o.txt\n-o\n*\n');
  for (const path of ['src/app.ts', 'src/util/x.ts', 'src/deep/two/y.ts', 'docs/read.md', '.hidden/h.ts'])
    file(path, 'x 1\n');
  for (const path of [
    'odd/-o',
    'odd/--pre=x',
    'odd/$x',
    'odd/new\nline',
    'odd/x=1',
    'odd/%s',
    'odd/a b',
    'odd/;touch p50',
  ])
    file(path, 'x\n');
  file('data.json', '{"name":"x"}\n');
  // Words that a program takes as more options if it reads them from a file.
  file('opts', '4\n../../outside/o.txt\n--pre=./evil\n-o\nFILE\n');
  for (const path of ['evil', 'node_modules/.bin/ls', 'ls', 'touch', '.hidden/evil'])
    file(path, '#!/bin/sh\n: > ran\n', 0o755);

  for (const name of tempting)
    file(`../../tempting/${name}`, '#!/bin/sh\n: > "/tmp/$(basename "$0") ran"\n', 0o755);

  spawnSync('git', ['init', '-q', '-b', 'main', root]);
  git('add', 'a.txt', 'src/app.ts', 'src/util');
  git('commit', '-qm', 'one');
  file('a.txt', 'one x,2\n../../outside/o.txt\n-o\n*\nmore\n');
  git('commit', '-qam', 'two');
  git('tag', 'v1');
  git('branch', 'other');
  file('b.txt', 'stashed\n');
  git('add', 'b.txt');
  git('stash');
  file('b.txt', 'one x,2\n');
  file('src/app.ts', 'x 1\nchanged\n');
  spawnSync('tar', ['cf', at('archive.tar'), '-C', root, 'a.txt', 'src/app.ts']);
  addKind(kind, { file, link, git, gitIn, at });
  if (traps) for (const name of ['-o', '--pre=x', '-rf', '-n', '--files0-from=opts']) file(name, 'x\n');
  const unread = [...(kind === 'tracked' ? [] : secrets[kind]), ...outside, '../../mnt/secret.txt'].map(at);
  return { top, root, home, unread };
}

interface Making {
  readonly file: (path: string, text: string, mode?: number) => void;
  readonly link: (target: string, path: string) => void;
  readonly git: (...args: readonly string[]) => void;
  readonly gitIn: (folder: string, ...args: readonly string[]) => void;
  readonly at: (path: string) => string;
}

function addKind(kind: ArenaKind, { file, link, git, gitIn, at }: Making): void {
  switch (kind) {
    case 'clean':
      return;
    case 'links':
      link('../../outside/o.txt', 'link.txt');
      link('../../outside', 'link');
      link('src', 'inner');
      link('../../../../outside', 'src/deep/out');
      link('../../../../outside/o.txt', 'src/deep/out.txt');
      link('../.ssh/id_rsa', 'key-link');
      link('nowhere', 'gone');
      link('.', 'loop');
      git('add', 'link.txt', 'inner', 'src/deep/out.txt', 'key-link', 'gone', 'docs');
      git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},src/deep/out`);
      file('nested/x', 'x\n');
      for (const folder of ['nested', 'bare']) {
        spawnSync('git', ['init', '-q', ...(folder === 'bare' ? ['--bare'] : []), at(folder)]);
        gitIn(at(folder), 'config', 'core.fsmonitor', '../evil');
      }
      return;
    case 'names':
      for (const path of [
        "quote's.txt",
        '[id].ts',
        '{a,b}',
        '~',
        '-o.txt',
        'docs/--output=p',
        '\\*',
        '$TOKEN',
        '@opts',
        'x=1',
      ])
        file(path, 'one x,2\n');
      git('add', 'docs', 'odd', '-f', '--', '-o.txt', '{a,b}', '~', 'x=1', 'my file.txt');
      link('../../../outside/o.txt', 'docs/{a,b}.md');
      for (const path of ['127.0.0.1:x.tar', '127.0.0.1:x', '@opts.txt', 'src/:(top).env', '!x', 'docs/('])
        file(path, 'x\n');
      // Not UTF-8, as in a clone from an old system.
      symlinkSync(
        '../../../outside/o.txt',
        Buffer.concat([Buffer.from(at('docs/')), Buffer.from([0xff]), Buffer.from('.md')]),
      );
      mkdirSync(Buffer.concat([Buffer.from(at('docs/')), Buffer.from([0xfe])]));
      symlinkSync(
        '../../../../outside/o.txt',
        Buffer.concat([Buffer.from(at('docs/')), Buffer.from([0xfe]), Buffer.from('/o.md')]),
      );
      return;
    case 'ignores':
      file('.gitignore', '*.log\nnode_modules\n!src/.env\nsecret\n');
      file('src/.ignore', '!.env\n');
      file('.rgignore', '!/.hid*/\n');
      file('.hidden/.ignore', '!.e*\n');
      file('.fdignore', '!.env\n');
      file('../.ignore', '!.env.local\n');
      file('docs/.gitignore', '*\n');
      file('docs/.env', secret);
      return;
    case 'tracked':
      git('add', '-f', '.env', 'secret/id_rsa', 'src/.env');
      git('commit', '-qm', 'three');
      file('.env', `${secret}more\n`);
      file('.gitattributes', '*.ts diff=x filter=x\n');
      file('.mailmap', 'A <a@b> <a@b>\n');
      return;
    case 'archive':
      link('../../../outside/o.txt', '.git/info/attributes');
      file('.git/rebase-merge/git-rebase-todo', 'pick 1\n');
      link('../../../../outside/o.txt', '.git/rebase-merge/done');
      link('../../../outside/o.txt', '.git/MERGE_MSG');
      for (const setting of ['blame.ignoreRevsFile', 'core.attributesFile', 'mailmap.file', 'diff.orderFile'])
        git('config', setting, '../../outside/o.txt');
      return;
  }
}
