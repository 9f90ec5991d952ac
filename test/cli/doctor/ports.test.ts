import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDoctorPorts, createNetworkPorts } from '../../../src/cli/doctor/ports.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { doctorPorts } from './doctorPorts.ts';

test('programs that print their version get no key', async () => {
  const { place, loaded } = doctorPorts();
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-mine' };
  const given = {
    place: { ...place, cwd: '/', env },
    loaded,
    isTrusted: true,
    terminal: undefined,
    network: null,
  };
  const { run } = createDoctorPorts(given);
  expect(await run('sh', ['-c', 'echo "key: $OPENAI_API_KEY"'])).toBe('key:');
});

test('git is asked about the project, and a file that would block it is named', async () => {
  const { place, loaded } = doctorPorts();
  const root = temporaryFolder();
  const env = { PATH: process.env.PATH, HOME: root };
  execFileSync('git', ['init', '--quiet', root]);
  const { git } = createDoctorPorts({
    place: { ...place, cwd: '/', root, env },
    ...{ loaded, isTrusted: true, terminal: undefined, network: null },
  });
  expect(await git(['rev-parse', '--is-inside-work-tree'])).toEqual({ output: 'true', problem: '' });
  execFileSync('mkfifo', [join(root, '.gitconfig')]);
  const { output, problem } = await git(['--version']);
  expect(output).toBeUndefined();
  expect(problem).toMatch(`Git would read ${join(root, '.gitconfig')}, which is a pipe`);
});

test('without a chosen model, the list is requested through the environment’s proxy', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'far', object: 'model' }] }));
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => void proxy.close());
  const env = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const { loaded } = doctorPorts({ settings: { baseUrl: 'http://models.invalid/v1' } });
  const { access } = await createNetworkPorts(loaded, undefined, false, env);
  expect(access).toMatchObject({ type: 'ready', model: 'far' });
  expect(asked).toEqual(['http://models.invalid/v1/models']);
});
