import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  isHarmlessAssignment,
  isPlainVariable,
  isUnreadVariable,
} from '../../../src/permissions/shell/assignments.ts';

describe('a variable before a command is harmless', () => {
  test.each([
    ...[
      'NODE_ENV=test',
      'CI=1',
      'CI=',
      'DEBUG=*',
      'DEBUG=1',
      'DEBUG=app:*,-app:db',
      'DEBUG=@scope/package:*,express*',
      'RUST_LOG=warn,hyper::proto=debug',
      'LOG_LEVEL=debug',
      'PORT=3000',
      'GOARCH=386',
      'FORCE_COLOR=0',
      'COLUMNS=80',
      'LINES=24',
      'LANG=C',
      'LC_ALL=C.UTF-8',
    ],
    ...['LC_ALL=en_US.UTF-8', 'LC_COLLATE=POSIX', 'TERM=dumb', 'TERM=xterm-256color', 'TZ=UTC', 'TZ=EST5EDT'],
    ...['TZ=Europe/Berlin', 'TZ=America/Argentina/Buenos_Aires', 'TZ=Etc/GMT+8'],
  ])('%s', (text) => expect(isHarmlessAssignment(assignment(text))).toBe(true));
});

describe('a variable before a command is not understood', () => {
  // zsh evaluates these as arithmetic, and a subscript runs commands.
  const calculated =
    'COLUMNS LINES SECONDS HISTSIZE SAVEHIST KEYTIMEOUT LISTMAX OPTIND TMOUT FUNCNEST RANDOM UID';
  test.each([
    ...calculated.split(' ').map((name) => `${name}=path[$(touch p)]`),
    ...['COLUMNS=x', 'COLUMNS=0x10', 'COLUMNS=-1', 'COLUMNS=', 'LINES=1+1', 'LINES=010'],
    // Variables that change how the bytes of the command are read.
    ...['LC_ALL=zh_CN.GBK', 'LC_ALL=ja_JP.SJIS', 'LC_CTYPE=zh_TW.BIG5', 'LANG=zh_CN.GB18030', 'LANG=en_US'],
    ...['LC_ALL=', 'LC_ALL=../x', 'LC_ALL=/x', 'LC_X=C', 'LANGUAGE=de', 'TERM=../x', 'TERM=', 'TZ=:/etc/x'],
    ...['TZ=../x', 'TZ=/x', 'TERMINFO=.', 'LOCPATH=.', 'NLSPATH=%N', 'TEXTDOMAINDIR=.', 'OUTPUT_CHARSET=x'],
    ...['IFS=x', 'ENV=x', 'BASH_ENV=x', 'PS4=x', 'PROMPT_COMMAND=x', 'LD_PRELOAD=x', 'GIT_PAGER=x', 'PATH=x'],
    ...[
      'path=x',
      'fpath=x',
      'cdpath=x',
      'manpath=x',
      'psvar=x',
      'FOO=x',
      'x=1',
      'NODE_OPTIONS=x',
      'CDPATH=x',
    ],
    'NODE_ENV+=x',
    // Make and other tools insert values into commands, where they act as code, options or paths.
    ...'NODE_ENV CI VERBOSE DEBUG PORT GOOS RUST_LOG LOG_LEVEL DO_NOT_TRACK'
      .split(' ')
      .flatMap((name) =>
        [
          ...[
            '$(shell id)',
            '$x',
            '${x}',
            '`id`',
            'a;id',
            'a&id',
            'a|id',
            'a\nid',
            "a'",
            'a"',
            'a(',
            'a b',
            'a<b',
          ],
          ...[
            '-x',
            '--config=x',
            '/etc/x',
            '../x',
            '..',
            './x',
            '~',
            '~/x',
            '#',
            '\\',
            '!x',
            '{a,b}',
            '%',
            '@x',
          ],
        ].map((value) => `${name}=${value}`),
      ),
    ...['DEBUG=@a/../b', 'DEBUG=a:/x', 'DEBUG=x,', 'RUST_LOG=PATH=x', 'PORT=x', 'GOOS=a-b', 'NODE_ENV=*'],
  ])('%s', (text) => expect(isHarmlessAssignment(assignment(text))).toBe(false));

  test('if its value is known only to the shell', () => {
    for (const name of ['COLUMNS', 'LC_ALL', 'NODE_ENV', 'DEBUG'])
      expect(isHarmlessAssignment({ name, value: null })).toBe(false);
  });
});

/** Loads all modules of zsh, since each may make more names special. */
const script = `for f in $module_path/**/*.so(N); do zmodload \${\${f#$module_path/}%.so} 2>/dev/null; done
print -l \${(k)parameters}`;

const hasZsh = spawnSync('zsh', ['-f', '-c', ':']).status === 0;
test.skipIf(!hasZsh)('a name that is special in zsh is not a plain variable', () => {
  const { stdout } = spawnSync('zsh', ['-f', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  // Without the names of this script and of the example module.
  const names = stdout
    .split('\n')
    .filter((name) => /^[a-z_]/.test(name) && !/^(?:f|m|ex(?:int|arr|str))$/.test(name));
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter(isPlainVariable)).toEqual([]);
});

test('ordinary names are plain variables', () => {
  for (const name of ['x', 'file', 'i', 'out_dir', 'line', 'n2', 'F', 'DIR', 'FILE'])
    expect(isPlainVariable(name)).toBe(true);
  for (const name of [
    'X',
    'TARGET',
    'URL',
    'TAG',
    'Path',
    'PATH',
    'PAGER',
    'CFLAGS',
    'GIT_DIR',
    'http_proxy',
    'npm_config_x',
    '2x',
  ])
    expect(isPlainVariable(name)).toBe(false);
});

function assignment(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

test.each('VERSION B BRANCH LATEST_TAG MERGE_BASE BASE_SHA REPO_ROOT SRC_DIR X2 OUT'.split(' '))(
  'no shell and no read-only program uses %s',
  (name) => expect(isUnreadVariable(name)).toBe(true),
);

test.each(
  `PATH IFS HOME PAGER EDITOR VERSION_CONTROL PREFIX GIT_DIR GIT_VERSION LESS LESSOPEN GZIP BLOCK_SIZE TIME_STYLE TMPDIR TZ
  LD_PRELOAD BASH_ENV ENV PWD OLDPWD RIPGREP_CONFIG_PATH PS_FORMAT BC_ENV_ARGS LS_COLORS TARGET_ FILE__NAME version _ TAG-X
  NODE_OPTIONS npm_config_x DOCKER_HOST DOCKER_NAME GOFLAGS PIP_LOCAL MAIL MAIN_PATH ID_FILE_PATH COLUMNS`.split(
    /\s+/,
  ),
)('%s may change what a program does', (name) => expect(isUnreadVariable(name)).toBe(false));
