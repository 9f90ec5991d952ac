/** Files that run the program elsewhere: the container image, the CI action, the cluster job. Without their engines. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readTasks } from '../../src/cli/fleet/tasks.ts';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Runs a command to its end; the returned text includes standard error. */
async function run(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, printed };
}

/** Instructions as `[name, rest]`, with continued lines joined. */
function instructionsOf(dockerfile: string): (readonly [string, string])[] {
  return dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return [name, rest.replace(/\s+/g, ' ')] as const;
    });
}

test('the image contains everything that the program needs, and does not run as root', {
  tags: 'long',
}, async () => {
  const { work } = await setUpProgram();
  const instructions = instructionsOf(read('Dockerfile'));
  const known = /^(?:FROM|WORKDIR|COPY|RUN|USER|ENV|HEALTHCHECK|ENTRYPOINT)$/;
  expect(instructions.filter(([name]) => !known.test(name))).toEqual([]);
  const image = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
  for (const [, from] of instructions.filter(([name]) => name === 'FROM'))
    expect(from).toMatch(/^node:\d+-[a-z-]+(?: AS build)?$/);
  const names = image.map(([name]) => name);
  expect(image.find(([name]) => name === 'USER')?.[1]).toBe('10001:10001');
  expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));

  const opt = join(work.temporary, 'opt');
  for (const [, rest] of image.filter(([name]) => name === 'COPY')) {
    const [, from = '', to = ''] = /^--from=build \/src\/(\S+) \/opt\/clawdcode\/(\S+)$/.exec(rest) ?? [];
    expect(from).not.toBe('');
    mkdirSync(dirname(join(opt, to)), { recursive: true });
    cpSync(join(root, from), join(opt, to), { recursive: true });
  }
  symlinkSync(join(opt, 'bin/clawdcode.js'), join(work.temporary, 'clawdcode'));
  const start = (...args: string[]) =>
    run([process.execPath, join(work.temporary, 'clawdcode'), ...args], {
      cwd: work.repository,
      env: { ...work.env({ OPENAI_API_KEY: 'sk-test-key' }), HOME: work.home },
    });
  expect((await start('--demo', '-p', 'hello')).printed).toContain('demo');
  const health = image.find(([name]) => name === 'HEALTHCHECK')?.[1].split(' CMD ')[1] ?? '';
  const [command, ...args] = JSON.parse(health) as string[];
  expect(command).toBe('clawdcode');
  const { code, printed } = await start(...args);
  expect(code, printed).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ ok: true });
});

test('the build context has the files that the build reads, and neither history, settings nor results', {
  tags: 'long',
}, () => {
  const lines = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toBe('*');
  const kept = lines.slice(1).map((line) => line.replace(/^!/, ''));
  expect(lines.slice(1).every((line) => line.startsWith('!'))).toBe(true);
  expect(kept.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  for (const name of ['src', 'scripts', 'package.json', 'package-lock.json']) expect(kept).toContain(name);
  const tracked = execFileSync('git', ['ls-files', ...kept], { cwd: root, encoding: 'utf8' });
  expect(tracked).not.toMatch(/^\.clawdcode|^\.git/m);
});

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

test('the action runs any prompt and passes on the result', async () => {
  const { work, server, access } = await setUpProgram();
  const action = parse(read('action.yml')) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
    readonly outputs: Readonly<Record<string, { readonly value: string }>>;
    readonly runs: { readonly using: string; readonly steps: readonly Step[] };
  };
  expect(action.runs.using).toBe('composite');
  for (const step of action.runs.steps.filter((one) => one.run !== undefined)) {
    expect(step.shell).toBe('bash');
    // Inside a script, an input would be executed.
    expect(step.run).not.toContain('${{');
  }
  const step = action.runs.steps.find(({ id }) => id === 'run');
  const given: Readonly<Record<string, string>> = {
    prompt: `say "hi" to $(touch owned) \`touch owned\`\n'; touch owned #`,
    'api-key': access.OPENAI_API_KEY ?? '',
    'base-url': access.OPENAI_BASE_URL ?? '',
    model: 'mock-1',
    'max-turns': '5',
  };
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  expect(unknown).toEqual([]);
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.(\S+) \}\}$/.exec(value)?.[1] ?? '';
      expect(action.inputs).toHaveProperty(input);
      return [name, given[input] ?? action.inputs[input]?.default ?? ''];
    }),
  );
  server.script({ text: 'Hi.\nresult<<x' });
  const output = join(work.temporary, 'output');
  const { code, printed } = await run(['bash', '-eo', 'pipefail', '-c', step?.run ?? ''], {
    cwd: work.repository,
    env: {
      ...work.env(env),
      ...{ HOME: work.home, GITHUB_ACTION_PATH: root, GITHUB_OUTPUT: output, RUNNER_TEMP: work.temporary },
    },
  });
  expect(code, printed).toBe(0);
  expect(textOf(server.requests()[0]?.messages.at(-1))).toBe(given.prompt);
  expect(existsSync(join(work.repository, 'owned'))).toBe(false);
  const outputs = new Map(
    [...readFileSync(output, 'utf8').matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(
      ([, name, , value]) => [name, value] as const,
    ),
  );
  expect(outputs.get('result')).toBe('Hi.\nresult<<x');
  expect([...outputs.keys()].sort()).toEqual(Object.keys(action.outputs).sort());
  expect(JSON.parse(readFileSync(outputs.get('result-file') ?? '', 'utf8'))).toMatchObject({
    type: 'result',
  });

  // The example uses only existing inputs.
  const workflow = parse(read('examples/fleets/workflow.yml')) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  const used = workflow.jobs.run?.steps.find(({ uses }) => uses?.startsWith('OWNER/') === true);
  expect(Object.keys(used?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
  const required = Object.keys(action.inputs).filter((name) => action.inputs[name]?.required === true);
  for (const name of required) expect(used?.with).toHaveProperty(name);
});

interface Container {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
}

test('the shards of the cluster job together cover every task', { tags: 'long' }, async () => {
  const { work, server, access } = await setUpProgram();
  const [config, claim, job] = parseAllDocuments(read('deploy/kubernetes-job.yaml')).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS();
  });
  expect([config.kind, claim.kind, job.kind, job.apiVersion]).toEqual([
    ...['ConfigMap', 'PersistentVolumeClaim', 'Job', 'batch/v1'],
  ]);
  expect(job.spec).toMatchObject({ completionMode: 'Indexed', completions: 2 });
  const pod = job.spec.template.spec;
  expect(pod).toMatchObject({
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, runAsUser: 10001 },
  });
  const volumes = pod.volumes.map(({ name }: { name: string }) => name);
  const containers: Container[] = [...pod.initContainers, ...pod.containers];
  for (const { volumeMounts, securityContext } of containers) {
    expect(volumeMounts.filter(({ name }) => !volumes.includes(name))).toEqual([]);
    expect(securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  }
  const [fleet] = pod.containers as Container[];
  const size = fleet?.env.find(({ name }) => name === 'FLEET_SIZE')?.value;
  expect(size).toBe(String(job.spec.completions));

  // The container's own command, with the paths of this test.
  const at = work.temporary;
  const moved = (text: string): string => text.replace(/(?<=[\s"])\/(?=tasks|results|work)/g, `${at}/`);
  const tasks = moved(config.data['tasks.jsonl']);
  for (const { cwd } of readTasks(tasks, '/')) mkdirSync(cwd, { recursive: true });
  for (const name of ['tasks', 'bin']) mkdirSync(join(at, name));
  writeFileSync(join(at, 'tasks/tasks.jsonl'), tasks);
  const program = join(at, 'bin/clawdcode');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/clawdcode.js' "$@"\n`);
  chmodSync(program, 0o755);
  server.otherwise(() => ({ text: 'Yes.' }));
  const results = [];
  for (const index of ['0', '1']) {
    const env = { ...work.env(access), HOME: work.home, JOB_COMPLETION_INDEX: index, FLEET_SIZE: size ?? '' };
    const command = [...(fleet?.command ?? []), moved(fleet?.args[0] ?? '')];
    const { code, printed } = await run(command, {
      cwd: at,
      env: { ...env, PATH: `${join(at, 'bin')}:${process.env.PATH}` },
    });
    expect(code, printed).toBe(0);
    results.push(...linesOf(readFileSync(join(at, 'results', index, 'results.jsonl'), 'utf8')));
  }
  expect(results.map(({ id }) => id).sort()).toEqual(['shop-links', 'shop-tests', 'website-links']);
});

test('the example task list is valid', { tags: 'long' }, () => {
  expect(readTasks(read('examples/fleets/tasks.jsonl'), '/')).toHaveLength(3);
});
