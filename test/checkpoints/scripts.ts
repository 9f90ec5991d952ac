/**
 * Random edits of a small tree, as shell commands and as what a tool does; many of them fail, as in life. Links may
 * lead out of the tree, but only to a folder of the test's own.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** Few names, so that scripts get in each other's way; some are folders for one script and files for another. */
const paths = ['a.txt', 'b.sh', 'd', 'd/e.txt', 'd/f', 'd/f/g.txt', 'h', "sp ce'q", 'i.bin', 'd/Ä\nx'];
const path = fc.constantFrom(...paths);
const line = fc.integer({ min: 0, max: 11 });

/** One command of a shell; `TAG` in it stands for a word that makes what it writes unlike everything else. */
export type ShellStep = string;

const q = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** To a path that is no pipe, which would be waited for for ever, and behind no link that leads away. */
const into = (target: string, command: string): string =>
  `[ ! -p ${q(target)} ] && ${command} > ${q(target)}`;

const modes = fc.constantFrom('644', '755', '600', '700', '444');
const targets = fc.constantFrom('a.txt', 'd', '../outside', 'nowhere', '../outside/missing');

const steps: readonly fc.Arbitrary<ShellStep>[] = [
  fc.tuple(path, line).map(([p, n]) => `[ -f ${q(p)} ] && sed -i ${q(`${n + 1}c TAG`)} ${q(p)}`),
  fc.tuple(path, line).map(([p, n]) => `[ -f ${q(p)} ] && sed -i ${q(`${n + 1}i TAG`)} ${q(p)}`),
  fc.tuple(path, line).map(([p, n]) => `[ -f ${q(p)} ] && sed -i ${n + 1}d ${q(p)}`),
  path.map((p) => `mkdir -p ${q(dirname(p))}; ${into(p, 'seq 1 12')}`),
  path.map((p) => into(p, `printf '\\000%s\\377' TAG`)),
  path.map((p) => into(p, 'printf ""')),
  path.map((p) => `rm -rf ${q(p)}`),
  path.map((p) => `mkdir -p ${q(p)}`),
  fc.tuple(path, path).map(([a, b]) => `mv -T ${q(a)} ${q(b)}`),
  fc.tuple(path, path).map(([a, b]) => `cp -r --remove-destination ${q(a)} ${q(b)}`),
  fc.tuple(path, modes).map(([p, mode]) => `chmod ${mode} ${q(p)}`),
  fc.tuple(path, targets).map(([p, target]) => `ln -sfn ${target} ${q(p)}`),
  path.map((p) => `rm -f ${q(p)}; mkfifo ${q(p)}`),
  // Of the same size, and with the time that it had.
  path.map(
    (p) =>
      `[ -f ${q(p)} ] && cp -p ${q(p)} ../times && ${into(p, 'tr 0-8 1-9 < ../times')}; touch -r ../times ${q(p)}`,
  ),
];

export const shellStep: fc.Arbitrary<ShellStep> = fc.oneof(...steps);

/** Runs the commands in one shell, one after the other; what fails, fails. */
export function runShell(root: string, script: readonly ShellStep[], tag: string): void {
  const lines = script.map((step, index) => `{ ${step.replaceAll('TAG', `${tag}n${index}`)}; } 2>/dev/null`);
  execFileSync('/bin/bash', ['-c', `umask 022\n${lines.join('\n')}\ntrue`], {
    cwd: root,
    stdio: 'ignore',
    timeout: 10_000,
  });
}

/** A file that is written by its name, as the tools do. */
export interface ToolStep {
  readonly path: string;
  readonly line: number;
}

export const toolStep: fc.Arbitrary<ToolStep> = fc.record({ path, line });

export function runTool(root: string, { path: name, line: number }: ToolStep, tag: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  const lines = Array.from({ length: 12 }, (_, index) => (index === number ? tag : `${index + 1}`));
  writeFileSync(join(root, name), `${lines.join('\n')}\n`);
}
