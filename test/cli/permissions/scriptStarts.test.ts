/**
 * Compares what a command's approval covers with what bash really starts, for commands that name their scripts: each script
 * of the project that started must be covered.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from '../../../src/cli/permissions/executedFiles.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const base = temporaryFolderOfFile();
const [root, home, out] = [join(base, 'project'), join(base, 'home'), join(base, 'out')];
/** Every script writes its own name here. */
const started = join(base, 'started.log');

const scripts: Readonly<Record<string, string>> = {
  'scripts/deep.sh': `${root}/scripts/deeper.sh`,
  'scripts/deeper.sh': `sh ${root}/scripts/deepest.sh`,
  'scripts/deepr.sh': '. "$(dirname "$0")"/deeper.sh',
  'scripts/deepest.sh': '',
  'lib/mytool': `. ${root}/scripts/deeper.sh`,
  'lib/run.sh': `sh ${root}/tools/impl.sh`,
  'lib/data.csv': `sh ${root}/tools/impl.sh`,
  'lib/sub/own.sh': `${root}/tools/impl.sh`,
  'tools/check-style': `exec ${root}/tools/impl.sh`,
  'tools/impl.sh': '',
  'tools/env.sh': `PATH=${root}/tools:$PATH; TOOL=${root}/tools/check-style; X=$(printf "%s" "sh lib/ru")n.sh; f=$(printf "%b" "lib/ru\\\\x6e.sh")`,
  'tools/usesD.sh': 'sh $D/run.sh',
  'tools/usesP.sh': 'sh "$P"',
  'tools/first.sh': 'sh "$1"',
  'tools/all.sh': '"$@"',
  'tools/env-bash.sh': '',
};
const others: Readonly<Record<string, string>> = {
  'list.txt': 'lib/run.sh\n',
  'cmds.txt': 'sh lib/run.sh\n',
  'lib/prog.sed': '1e sh lib/run.sh\n',
  'lib/data.pl': 'system("sh", "lib/run.sh");\n',
  Makefile: 'own:\n\tsh own.sh\nown2:\n\t@true\n',
};

function write(name: string, text: string): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** The scripts that start although the approval does not cover them. */
function uncovered(command: string): readonly string[] {
  const covered = filesOf({ command }, { root, home });
  rmSync(started, { force: true });
  spawnSync('bash', ['-c', command], {
    cwd: root,
    input: '{"a":"deeper.sh"}\n',
    env: {
      ...process.env,
      HOME: home,
      TMPDIR: out,
      CLAUDE_PROJECT_DIR: root,
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
    timeout: 5000,
  });
  const ran = existsSync(started)
    ? new Set(readFileSync(started, 'utf8').trim().split('\n'))
    : new Set<string>();
  return [...ran].filter((name) => !covered.files.includes(join(root, name)));
}

const snippets = readFileSync(new URL('scriptStarts.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n%%\n');

test.each(snippets)('%s', (snippet) => {
  const text = snippet.replaceAll('ROOT', root).replaceAll('OUT', out);
  for (const command of [text, 'bash scripts/hook.sh']) {
    for (const folder of [root, home, out]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    for (const [name, line] of Object.entries(scripts))
      write(name, `#!/bin/${name.includes('bash') ? 'bash' : 'sh'}\necho ${name} >> ${started}\n${line}\n`);
    for (const [name, content] of Object.entries(others)) write(name, content);
    write('scripts/hook.sh', `#!/bin/bash\necho scripts/hook.sh >> ${started}\n${text}\n`);
    if (snippet.includes('git')) spawnSync('git', ['init', '-q', root]);
    expect([command, uncovered(command)]).toEqual([command, []]);
  }
});
