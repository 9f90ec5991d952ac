import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { trustedCertificates } from '../../../src/model/http/certificates.ts';
import { environmentSend } from '../../../src/model/http/environmentSend.ts';
import { makeCertificates, startProxy, startTlsServer } from './proxyStage.ts';

let folder: string;
let files: ReturnType<typeof makeCertificates>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawdcode-certificates-'));
  files = makeCertificates(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function statusAt(url: string, env: Record<string, string>): Promise<number | string> {
  const { signal } = new AbortController();
  try {
    const answer = await environmentSend(env)(url, { method: 'GET', headers: {}, signal });
    answer.release();
    return answer.status;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

test('certificates in the folders of SSL_CERT_DIR are trusted, directly and through a proxy', {
  tags: 'long',
}, async () => {
  const server = await startTlsServer(files, (_, response) => void response.end('hi'));
  onTestFinished(server.close);
  const url = `https://127.0.0.1:${server.port}/`;
  const [empty, full] = [join(folder, 'empty'), join(folder, 'full')];
  mkdirSync(empty);
  mkdirSync(join(full, 'a folder.pem'), { recursive: true });
  copyFileSync(files.ca, join(full, 'ours.0'));
  expect(await statusAt(url, { SSL_CERT_DIR: `${empty}:/nonexistent` })).toMatch(/CERT|ISSUER|SIGNATURE/);
  const env = { SSL_CERT_DIR: `/nonexistent:${empty}:${full}` };
  expect(await statusAt(url, env)).toBe(200);
  const proxy = await startProxy(server.port);
  onTestFinished(proxy.close);
  const through = { ...env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  expect(await statusAt('https://model.test/', through)).toBe(200);
});

test('only complete certificates in a folder are used, each once, and no other files', {
  tags: 'long',
}, async () => {
  const dir = mkdtempSync(join(folder, 'dir-'));
  const ours = readFileSync(files.ca, 'utf8').trim();
  const [known = ''] = rootCertificates;
  writeFileSync(join(dir, 'bundle.crt'), `# names\n${ours}\n${known}\n${ours.replaceAll('\n', '\r\n')}\n`);
  symlinkSync(join(dir, 'bundle.crt'), join(dir, 'hash.0'));
  writeFileSync(join(dir, 'broken.pem'), ours.replace(/(?<=CERTIFICATE-----\n)\w{8}/, 'AAAAAAAA'));
  writeFileSync(join(dir, 'cut.pem'), ours.slice(0, -30));
  writeFileSync(join(dir, 'key.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
  writeFileSync(join(dir, 'noise'), randomBytes(1000));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  symlinkSync('/dev/zero', join(dir, 'endless'));
  const all = await trustedCertificates({ SSL_CERT_DIR: dir });
  expect(all.slice(rootCertificates.length)).toEqual([ours]);

  const large = mkdtempSync(join(folder, 'large-'));
  writeFileSync(join(large, 'huge.pem'), `${ours}\n`.padEnd(2 ** 20 + 1, '#'));
  expect(await trustedCertificates({ SSL_CERT_DIR: large })).toEqual([...rootCertificates]);
});

test('on Windows a semicolon separates folders, and a colon belongs to a drive', async () => {
  const drive = join(folder, 'C:');
  mkdirSync(drive);
  copyFileSync(files.ca, join(drive, 'ours.pem'));
  const env = { SSL_CERT_DIR: `/nonexistent;${drive}` };
  const all = await trustedCertificates(env, ';');
  expect(all.slice(rootCertificates.length)).toEqual([readFileSync(files.ca, 'utf8').trim()]);
});

test('a file of certificates is used in addition to folders', async () => {
  const dir = mkdtempSync(join(folder, 'beside-'));
  const all = await trustedCertificates({ SSL_CERT_FILE: files.ca, SSL_CERT_DIR: dir });
  expect(all.at(-1)?.trim()).toBe(readFileSync(files.ca, 'utf8').trim());
});
