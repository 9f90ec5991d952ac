/** A project task that runs a denied command needs approval, since only the task's file shows the command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, rule, top } from '../harness.ts';

const project = join(top, 'home', 'tasks');

const makefile = `GIT = git
REMOTE := origin
.PHONY: push
push: ; $(GIT) push $(REMOTE)
release: check upload
upload:
\t@echo uploading
\t-@$(GIT) \\
\t  push
check:
\tnpm test
again:
\t$(MAKE) upload
fmt:
\tprettier --write .
show:
\tcat secret/key
build: src/a.c
\t$(CC) -o $@ $<
`;
const justfile = `default: fmt
alias p := push
push remote='origin':
    @git push {{remote}}
release: (push 'x')
fmt:
    ls
`;
const scripts = {
  push: 'git push',
  again: 'npm run push -- --force',
  both: 'run-p fmt push',
  postbuild: 'git push',
  build: 'tsc',
  postversion: 'git push --tags',
  fmt: 'prettier --write .',
  'fmt:docs': 'prettier --write docs',
  test: "vitest run -t 'git push'",
};

beforeAll(() => {
  for (const folder of ['secret', 'src', 'docs', 'sub'])
    mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, 'src/a.ts'), 'x\n');
  writeFileSync(join(project, 'Makefile'), makefile);
  writeFileSync(join(project, 'sub/other.mk'), makefile);
  writeFileSync(join(project, 'justfile'), justfile);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts }));
  writeFileSync(join(project, 'composer.json'), JSON.stringify({ scripts: { ship: ['ls', 'git push'] } }));
  writeFileSync(
    join(project, 'deno.json'),
    '{ // tasks\n "tasks": { "ship": "git push" } }'.replace('// tasks', ''),
  );
});

async function behavior(command: string, forbidden: string): Promise<string> {
  const rules = [`deny ${forbidden}`].map((text) => ({ ...rule(text), base: project }));
  const policy = await policyFor([], 'bypassPermissions', { root: project, rules });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
}

test.each([
  'make',
  'make push',
  'make -j4 V=1 release',
  'make upload',
  'make again',
  'make -f sub/other.mk push',
  'make -C sub -f other.mk push',
  'timeout 60 make push',
  'cd sub && just push',
  'just p',
  'just release',
  'npm run push',
  'npm --silent run-script push',
  'npm run again',
  'npm run both',
  'npm run build',
  'npm version patch',
  'pnpm push',
  'yarn run push',
  'bun run push',
  'node --run push',
  'npm --prefix . run push',
  'composer ship',
  'deno task ship',
])('%s needs approval if a rule denies Bash(git push:*)', async (command) => {
  expect(await behavior(command, 'Bash(git push:*)')).toBe('ask');
});

test.each([
  'make check',
  'make build',
  'just',
  'just fmt',
  'npm run fmt',
  'npm test',
  'npm run unknown',
  'pnpm push-x',
  'npm install x',
])('%s runs if a rule denies Bash(git push:*)', async (command) => {
  expect(await behavior(command, 'Bash(git push:*)')).toBe('allow');
});

test.each([
  ['make show', 'Read(secret/**)', 'ask'],
  ['make check', 'Read(secret/**)', 'allow'],
  ['npm run fmt', 'Edit(src/**)', 'ask'],
  ['npm run fmt:docs', 'Edit(src/**)', 'allow'],
  ['npm run lint:src', 'Edit(src/**)', 'allow'],
])('%s with a rule that denies %s: %s', async (command, forbidden, expected) => {
  expect(await behavior(command, forbidden)).toBe(expected);
});
