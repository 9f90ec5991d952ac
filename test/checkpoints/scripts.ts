/**
 * Random edits of a small tree, as shell commands and as a tool would make them; many of them fail. Links may lead out
 * of the tree, but only to a folder of the test.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** Only a few names, so that scripts interfere with each other; some are folders in one script and files in another. */
const paths = ['a.txt', 'b.sh', 'd', 'd/e.txt', 'd/f', 'd/f/g.txt', 'h', "sp ce'q", 'i.bin', 'd/Ä\nx'];
const path = fc.constantFrom(...paths);
const line = fc.integer({ min: 0, max: 11 });

/** A shell command; `TAG` is replaced with a word that makes its output unique. */
export type ShellStep = string;

const q = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Runs the command only if the target is not a pipe, which would block forever, and not behind a link that leads out of
 * the tree.
 */
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
  // With the same size and the same time as before.
  path.map(
    (p) =>
      `[ -f ${q(p)} ] && cp -p ${q(p)} ../times && ${into(p, 'tr 0-8 1-9 < ../times')}; touch -r ../times ${q(p)}`,
  ),
];

export const shellStep: fc.Arbitrary<ShellStep> = fc.oneof(...steps);

/** Runs the commands one after the other in one shell; failures are ignored. */
export function runShell(root: string, script: readonly ShellStep[], tag: string): void {
  const lines = script.map((step, index) => `{ ${step.replaceAll('TAG', `${tag}n${index}`)}; } 2>/dev/null`);
  execFileSync('/bin/bash', ['-c', `umask 022\n${lines.join('\n')}\ntrue`], {
    cwd: root,
    stdio: 'ignore',
    timeout: 10_000,
  });
}

/** A file written by name, as tools do it. */
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
