/** Searches and filters that seem to leave out secrets, or to name none. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bash, outside, root } from '../harness.ts';

beforeAll(() => {
  writeFileSync(join(root, 'opts'), '/etc/passwd\n');
});
afterAll(() => {
  rmSync(join(root, 'opts'));
});

describe("an option's value may be a file, and the word after an option may not be its value", () => {
  test.each([
    'strings -n @opts a.txt',
    'strings -t@opts a.txt',
    `iconv -f ${join(outside, 'secret.txt')} a.txt`,
    'iconv -t ./.env -f utf-8 a.txt',
    'iconv -f ../x -f utf-8 a.txt',
    // ag treats anything but a number as the pattern, and the long option takes no separate word.
    `ag -A foo ${outside} src`,
    `ag --after foo ${outside} src`,
    `ag --context 2 ${outside} src`,
    // In BSD grep the value of this option is optional.
    `grep --context foo ${join(outside, 'secret.txt')}`,
    'grep -r --context 5 foo',
    // Of two ways to list, the last one applies.
    `rg --type-list --files ${outside}`,
    // tree reads what is attached to a letter as more letters, including -o.
    'tree -Iauto -FI a.txt',
    'tree -Po x a.txt',
    'tree -LI 2 x',
    // tar reads the name `host:x.tar` as a file on another machine.
    'tar tf host:x.tar',
    'for f in *.tar; do tar tf "$f"; done',
    // An archive is read like any other file.
    'tar tf .env',
    'unzip -l server.key',
    'zipinfo .env',
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });

  test.each([
    'strings -n 5 -t x a.txt',
    'iconv -f latin1 -t UTF-8 a.txt',
    'iconv -t ascii//TRANSLIT -f utf-8 a.txt',
    'ag -A 3 foo src',
    'ag --context=2 foo src',
    'grep --context=5 foo a.txt',
    'grep -C 5 foo a.txt',
    'rg --type-list',
    'rg --files src',
    'tree -aL 2 src',
    'tree -L2 -I node_modules',
    'tar tf a.tar.gz',
    'tar tzf dist/pkg-1.0.0_x86+musl.tgz src/a.ts',
    'unzip -l a.zip',
  ])('%s runs', async (command) => {
    expect((await bash(command)).behavior).toBe('allow');
  });
});

describe('a pattern excludes only files that it excludes for the program', () => {
  test.each([
    // Anything before a name test runs for every file.
    String.raw`find . -exec cat {} \; -name '*.ts'`,
    String.raw`find . -exec true \; -exec cat {} + -name '*.ts'`,
    "find . -print -name '*.ts' | xargs cat",
    "find . -print0 -name '*.ts' | xargs -0 cat",
    // Backslashes and classes.
    String.raw`find . -name '\.env' -exec cat {} +`,
    "find . -name '.en[[:alpha:]]' -exec cat {} +",
    "find . -name '.en[[=v=]]' -exec cat {} +",
    String.raw`find . -name '.en[\v]' -exec cat {} +`,
    String.raw`grep -r --include='\.env' '' .`,
    "grep -r --include='.en[[:alpha:]]' '' .",
    // If an exclusion comes first, grep searches files that no pattern names.
    "grep -r --exclude=foo --include='*.ts' '' .",
    "grep -r --exclude foo --include '*.ts' '' .",
    // A folder outside the workspace stays outside, whatever is searched in it.
    "grep -r --include='*.ts' '' ..",
    "grep -r --include='*.conf' '' /etc",
    "grep -r --include='*.txt' '' link",
    "grep -r --include='*.conf' '' /et*",
    "rg -g '*.conf' '' /etc",
    "rg -t md '' ..",
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });

  test.each([
    "find src -name '*.ts' -exec wc -l {} +",
    "find . -name '*.ts' -print0 | xargs -0 wc -l",
    "grep -rn --include='*.ts' --exclude='*.test.ts' foo .",
  ])('%s runs', async (command) => {
    expect((await bash(command)).behavior).toBe('allow');
  });
});

describe('a word after the first operand may be a file', () => {
  test.each([
    // awk and many BSD programs accept no options after their first operand.
    'awk 1 -F .env',
    'awk 1 a.txt -v x=1',
    'sed p a.txt -e .env',
    "sed -n 'w out' -e p",
    'head a.txt -n .env',
    'cut a.txt -f 1 -d .env',
    'sort a.txt -k .env',
    'grep x a.txt -m .env',
    'diff a.txt -x .env',
    `head a.txt -n ${join(root, '../../elsewhere/secret.txt')}`,
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });

  test.each(['head a.txt -n 5', 'grep x a.txt -A 3', 'cut a.txt -d , -f 1', 'sort a.txt -k 2 -t ,'])(
    '%s runs',
    async (command) => {
      expect((await bash(command)).behavior).toBe('allow');
    },
  );
});

describe('programs with their own language or option files', () => {
  test.each([
    'strings @opts',
    'strings -n 5 @opts',
    'strings *',
    // Inside brackets some treat a delimiter as a character.
    "sed -n '/[/s,]/w out,b,'",
    "sed '/[/s,]/e,b,'",
    "sed -n 's/[/]/x/w out'",
    'ip route restore',
    'ip addr restore < a.txt',
    'ip link s eth0',
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });

  test.each([
    'strings a.txt',
    "sed 's/[[:space:]]*$//' a.txt",
    String.raw`sed 's/[^\/]*$//' a.txt`,
    "sed 's#[^/]*$##' a.txt",
    'ip addr show eth0',
    'ip -br a',
  ])('%s runs', async (command) => {
    expect((await bash(command)).behavior).toBe('allow');
  });
});

describe('lines of ignore files are shown if they cannot be parsed, or with --debug', () => {
  beforeAll(() => {
    for (const folder of ['ign', 'own']) mkdirSync(join(root, folder), { recursive: true });
    symlinkSync(join(outside, 'secret.txt'), join(root, 'ign/.ignore'));
    writeFileSync(join(root, 'own/.gitignore'), 'x\n');
    symlinkSync('.gitignore', join(root, 'own/.ignore'));
  });
  afterAll(() => {
    for (const folder of ['ign', 'own']) rmSync(join(root, folder), { recursive: true });
  });

  test.each(['rg foo ign', 'ag foo ign', 'rg -. foo ign', 'ag -D foo src', 'rg --debug foo src'])(
    '%s needs approval',
    async (command) => {
      expect((await bash(command)).behavior).toBe('ask');
    },
  );

  test.each(['rg foo own', 'ag foo own', 'ag -n foo src'])('%s runs', async (command) => {
    expect((await bash(command)).behavior).toBe('allow');
  });
});

describe('a locale variable may name a file', () => {
  test.each([
    'LANGUAGE=../../../home/u/project/po ls nosuch',
    'env LANGUAGE=../../../home/u/project/po ls nosuch',
    'LANG=C LANGUAGE=/tmp/po ls nosuch',
    'LC_ALL=../x sort a.txt',
    'TZ=:../../x date',
    'TZ=/etc/hosts date',
    'TZ=~/.ssh/id_rsa date',
    'LANGUAGE=$x ls',
    'LANGUAGE=../../../home/u/project/po; ls nosuch',
    'LANG=C TZ=:/x; date',
    'for TZ in ../x; do date; done',
    'LC_ALL=C; sort a.txt',
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });

  test.each([
    'TZ=America/New_York date',
    'TZ=UTC date',
    'LC_ALL=C sort a.txt',
    'env LANG=de_DE.UTF-8 ls',
    'NODE_ENV=test ls',
    'COLUMNS=80 ls',
    'x=../y; echo "$x"',
  ])('%s runs', async (command) => {
    expect((await bash(command)).behavior).toBe('allow');
  });
});

describe('a pattern that starts with a dot may match the parent folder', () => {
  test.each([
    'cat ./.?/elsewhere.txt',
    'cat .[.]/elsewhere.txt',
    'head -5 src/.?/.?/elsewhere.txt',
    'grep x ./.[!a]/elsewhere.txt',
  ])('%s needs approval', async (command) => {
    expect((await bash(command)).behavior).toBe('ask');
  });
});
