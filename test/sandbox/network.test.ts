import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunningQuestion } from '../../src/protocol/tools.ts';
import { HostRefusedError } from '../../src/sandbox/network/commandNetwork.ts';
import { notedPorts, openPortNotes } from '../../src/sandbox/network/portNotes.ts';
import { confined, hasSandbox } from './confined.ts';

/** A server on this machine's loopback that answers every request with hello. */
async function helloServer(): Promise<number> {
  const server = createHttpServer((request, answer) =>
    answer.end(`hello ${request.headers.host} ${request.url}\n`),
  );
  return listening(server);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

/** Requests a page through the proxy in the environment, using only Node. */
const get = (url: string): string =>
  `node -e 'const {request}=require("http");const p=new URL(process.env.http_proxy);const r=request({host:p.hostname,port:p.port,path:${JSON.stringify(url)},headers:{"proxy-authorization":"Basic "+btoa(p.username+":"+p.password),host:"forged.example"}},a=>{process.stdout.write(a.statusCode+" ");a.pipe(process.stdout)});r.on("error",e=>console.log(e.message));r.end()'`;

const loopback = async () => [{ address: '127.0.0.1', family: 4 }];

describe.skipIf(!hasSandbox)('the network of the sandbox', () => {
  test("this machine's servers are not reachable", async () => {
    const port = await helloServer();
    const { run } = await confined();
    const { text } = await run(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached; cat /proc/net/route`);
    expect(text).not.toContain('reached');
    expect(text.match(/^\w+\t/gm) ?? []).toHaveLength(1);
  });

  test('an allowed host is reached by its name, with its own Host header', async () => {
    const port = await helloServer();
    const { run } = await confined({
      options: {
        network: {
          verdict: (host) => (host === 'good.example' ? 'allow' : 'deny'),
          resolve: loopback,
          localPorts: [],
          forwardPorts: true,
          reservedPorts: () => [],
        },
      },
    });
    const { text, sandbox } = await run(
      `${get(`http://good.example:${port}/page?q=1`)}; ${get(`http://bad.example:${port}/`)}`,
    );
    expect(text).toContain(`200 hello good.example:${port} /page?q=1`);
    expect(text).toMatch(/403 .*bad\.example/);
    expect(sandbox).toEqual({
      mode: 'workspace-write',
      hosts: [`good.example:${port}`],
      refusedHosts: [`bad.example:${port}`],
    });
  });

  test('an unknown host needs approval once while the command waits', async () => {
    const port = await helloServer();
    const questions: RunningQuestion[] = [];
    const { run } = await confined({
      options: {
        network: {
          verdict: () => 'ask',
          resolve: loopback,
          localPorts: [],
          forwardPorts: true,
          reservedPorts: () => [],
        },
      },
      context: {
        confirm: async (question) => {
          questions.push(question);
          return question.domain === 'yes.example';
        },
      },
    });
    const { text } = await run(
      [`http://yes.example:${port}/1`, `http://yes.example:${port}/2`, `http://no.example:${port}/`]
        .map(get)
        .join('; '),
    );
    expect(text).toContain('/1\n');
    expect(text).toContain('/2\n');
    expect(text).toContain('403');
    expect(questions.map(({ domain }) => domain)).toEqual(['yes.example', 'no.example']);
    expect(questions[0]?.preview).toMatchObject({ type: 'text' });
  });

  test('a command that tries hundreds of hosts requests only a few approvals, and its record stays short', {
    tags: 'long',
  }, async () => {
    const asked = new Set<string>();
    const { run } = await confined({
      context: {
        confirm: async ({ domain }) => {
          if (domain !== undefined) asked.add(domain);
          return false;
        },
      },
    });
    const { text, sandbox } = await run(
      `node -e 'const {request}=require("http");const p=new URL(process.env.http_proxy);let n=0;const go=()=>{if(n===300)process.exit(3);const r=request({host:p.hostname,port:p.port,path:"http://h"+n+++".example/",headers:{"proxy-authorization":"Basic "+btoa(p.username+":x")}},a=>{a.resume();a.on("end",go)});r.on("error",go);r.end()};go()'`,
    );
    expect(asked.size).toBe(10);
    expect(text).toContain('more than 10 hosts');
    expect(sandbox?.refusedHosts?.length).toBe(100);
  });

  test('a denied host offers no rerun outside the sandbox, but other failures do', {
    tags: 'long',
  }, async () => {
    const port = await helloServer();
    const answers = [false, false, true];
    const titles: string[] = [];
    const { run } = await confined({
      context: {
        confirm: async ({ title }) => {
          titles.push(title);
          return answers.shift() ?? false;
        },
      },
    });
    const command = `${get('http://no.example/')} ; exit 3`;
    const refused = await run(command);
    expect(refused.text).toContain('The user denied a connection to no.example:80.');
    expect(refused.text).not.toContain('sandbox blocked it');
    expect(titles).toEqual(['Connect to no.example']);
    const outside = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached && exit 0; echo read-only file system; ${command}`,
    );
    expect(titles.slice(1)).toEqual(['Connect to no.example', 'Run outside the sandbox?']);
    expect(outside.text).toContain('reached');
    expect(outside.sandbox).toEqual({
      mode: 'none',
      reason: 'the user let it run outside',
      // From the earlier run in the sandbox.
      refusedHosts: [expect.stringMatching(/:\d+$/)],
    });
  });

  test('a rerun outside the sandbox starts in the same folder, which the approval shows', {
    tags: 'long',
  }, async () => {
    let cwd = '';
    const asked: RunningQuestion[] = [];
    const { root, run } = await confined({
      context: {
        cwd: () => cwd,
        setCwd: (directory) => {
          cwd = directory;
        },
        confirm: async (question) => {
          asked.push(question);
          return true;
        },
      },
    });
    cwd = root;
    mkdirSync(join(root, 'sub'));
    const { text } = await run('cd sub && pwd && ! [ "$http_proxy" ] || { echo EROFS; exit 1; }');
    expect(text).toContain(`${join(root, 'sub')}\n`);
    expect(text).not.toMatch(/No such file|EROFS/);
    expect(asked.map(({ preview }) => preview)).toMatchObject([{ type: 'command', cwd: root }]);
    expect(cwd).toBe(join(root, 'sub'));
  });

  test('no approval runs a command outside the sandbox if managed settings confine commands', async () => {
    const titles: string[] = [];
    const confirm = async ({ title }: { title: string }): Promise<boolean> => {
      titles.push(title);
      return !title.startsWith('Connect');
    };
    const {
      run,
      root,
      sandbox: own,
    } = await confined({ options: { isBinding: true }, context: { confirm } });
    const { text, sandbox } = await run(`${get('http://no.example/')} ; echo read-only file system; exit 3`);
    expect(titles).toEqual(['Connect to no.example']);
    expect(text).toContain('Managed settings of this machine do not let any command run outside the sandbox');
    expect(sandbox?.mode).toBe('workspace-write');
    const request = { command: 'ls', cwd: root, env: {}, scratch: root, grant: { basis: 'user' } } as const;
    expect((await own.outside(request, 'asked')).refusal).toContain('only in a sandbox');
  });

  test('an approval that no mode may skip is marked as such', { tags: 'long' }, async () => {
    const asked: unknown[] = [];
    const network = {
      verdict: () => 'always ask' as const,
      resolve: async () => [],
      localPorts: [],
      forwardPorts: false,
      reservedPorts: () => [],
    };
    const { run } = await confined({
      options: { network },
      context: { confirm: async ({ verdict }) => asked.push(verdict?.()) < 0 },
    });
    await run(get('http://a.example/'));
    expect(asked).toContain('always ask');
  });

  test('without a user, a denied host tells the model which setting allows it', {
    tags: 'long',
  }, async () => {
    const { run } = await confined();
    const { text } = await run(`${get('http://no.example/')} ; exit 3`);
    expect(text).toMatch(/allowedDomains/);
  });

  test('a command can reach a server that an earlier one started', { tags: 'long' }, async () => {
    const { run } = await confined();
    const server = `node -e 'require("http").createServer((q,a)=>a.end("from the sandbox")).listen(4321,"127.0.0.1",()=>require("fs").writeFileSync("up","1"))'`;
    await run(server, { background: true });
    const { text } = await run(
      `while [ ! -f up ]; do sleep 0.05; done; exec 3<>/dev/tcp/127.0.0.1/4321; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`,
    );
    expect(text).toContain('from the sandbox');
  });

  test('a background server is reachable on this machine while it runs', {
    tags: 'long',
  }, async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise<void>((resolve) => void probe.close(() => resolve()));
    const { run, close } = await confined();
    const body = 'x'.repeat(200_000);
    await run(`node -e 'require("http").createServer((q,a)=>a.end("x".repeat(200000))).listen(${port})'`, {
      background: true,
    });
    const fetched = async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      return answer.text();
    };
    await vi.waitFor(async () => expect(await fetched()).toBe(body), { timeout: 30_000, interval: 100 });
    // Connections leave no listeners behind in this process, which would cause a warning.
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    for (let count = 0; count < 15; count++)
      await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }).then((answer) =>
        answer.text(),
      );
    expect(warnings).toEqual([]);
    await close();
    await vi.waitFor(() => expect(fetched()).rejects.toThrow(), { timeout: 30_000, interval: 100 });
  });

  test('the port of a model server is not forwarded', { tags: 'long' }, async () => {
    const probes = [createServer(), createServer()];
    const ports = await Promise.all(
      probes.map(async (probe) => {
        await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
        return (probe.address() as AddressInfo).port;
      }),
    );
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
    const [free, reserved = 0] = ports;
    const { run } = await confined({
      options: {
        network: {
          ...{ verdict: () => 'ask', resolve: loopback, localPorts: [], forwardPorts: true },
          reservedPorts: () => [reserved],
        },
      },
    });
    const serve = `for (const port of [${reserved}, ${free}]) require("http").createServer((q,a)=>a.end("up")).listen(port)`;
    await run(`node -e '${serve}'`, { background: true });
    const fetched = async (port = 0): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();
    await vi.waitFor(async () => expect(await fetched(free)).toBe('up'), { timeout: 30_000, interval: 100 });
    await expect(fetched(reserved)).rejects.toThrow();
  });

  test('a port is no longer forwarded once the settings of this or another session name it', async () => {
    const probes = [createServer(), createServer(), createServer()];
    const ports = await Promise.all(
      probes.map(async (probe) => {
        await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
        return (probe.address() as AddressInfo).port;
      }),
    );
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
    const [free = 0, ours = 0, others = 0] = ports;
    const portNotes = mkdtempSync(join(tmpdir(), 'port-notes-'));
    onTestFinished(() => rmSync(portNotes, { recursive: true, force: true }));
    const reserved = new Set<number>();
    const { run, close } = await confined({
      options: {
        network: {
          ...{ verdict: () => 'ask', resolve: loopback, localPorts: [], forwardPorts: true },
          reservedPorts: () => reserved,
          portNotes,
        },
      },
    });
    const serve = `for (const port of [${ports}]) require("http").createServer((q,a)=>a.end("up")).listen(port)`;
    await run(`node -e '${serve}'`, { background: true });
    const fetched = async (port = 0): Promise<string> =>
      (
        await fetch(`http://127.0.0.1:${port}/`, {
          headers: { connection: 'close' },
          signal: AbortSignal.timeout(5000),
        })
      ).text();
    const waiting = { timeout: 30_000, interval: 100 };
    for (const port of ports) await vi.waitFor(async () => expect(await fetched(port)).toBe('up'), waiting);
    expect(notedPorts(portNotes, 'forwards')).toEqual(new Set(ports));
    reserved.add(ours);
    const other = openPortNotes(portNotes);
    other.write({ forwards: [], needs: [others] });
    for (const port of [ours, others])
      await vi.waitFor(() => expect(fetched(port)).rejects.toThrow(), waiting);
    expect(await fetched(free)).toBe('up');
    expect(notedPorts(portNotes, 'forwards')).toEqual(new Set([free]));
    await close();
    expect(notedPorts(portNotes, 'forwards')).toEqual(new Set());
  });

  test("the user's own proxy gives no access to private networks", { tags: 'long' }, async () => {
    const tunnelled: string[] = [];
    const { run } = await confined({
      options: {
        network: {
          verdict: () => 'allow',
          resolve: (host) => Promise.reject(new HostRefusedError(`${host} is private`)),
          throughProxy: async (host) => {
            tunnelled.push(host);
            throw new Error('no server');
          },
          localPorts: [],
          forwardPorts: false,
          reservedPorts: () => [],
        },
      },
    });
    const { text } = await run(
      `${['10.0.0.1', '[::1]', 'localhost', 'a.localhost', 'name.example'].map((host) => get(`http://${host}/`)).join('; ')}; exit 3`,
    );
    expect(tunnelled).toEqual(['name.example']);
    expect(text).toContain('10.0.0.1 is private');
  });

  test('a local port that the settings allow is reachable', async () => {
    const port = await helloServer();
    const { run } = await confined({
      options: {
        network: {
          verdict: () => 'ask',
          resolve: loopback,
          localPorts: [port],
          forwardPorts: true,
          reservedPorts: () => [],
        },
      },
    });
    const { text } = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /x HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`,
    );
    expect(text).toContain('hello undefined /x');
  });

  test('sockets of other programs cannot be opened, but socket pairs can', { tags: 'long' }, async () => {
    const { run, root, tmp } = await confined();
    const path = join(tmp, 's.sock');
    const server = createServer((socket) => socket.end('LEAK'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    writeFileSync(join(root, 'child.js'), 'process.send(1)');
    const { text } = await run(
      `node -e 'const c=require("net").connect(${JSON.stringify(path)});c.on("error",e=>console.log(e.code));c.pipe(process.stdout)'; node -e 'require("child_process").fork("./child.js").on("message",()=>console.log("pair"))'`,
    );
    expect(text).not.toContain('LEAK');
    expect(text).toContain('EPERM');
    expect(text).toContain('pair');
  });
});
