/**
 * Certificate authorities from the environment, in addition to Node's own: SSL_CERT_FILE, the files in the folders of
 * SSL_CERT_DIR, and NODE_EXTRA_CA_CERTS. Node itself reads the last one only if no custom list is passed.
 */
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { rootCertificates } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

/** A system folder has about 300 files of a few kB each, and a 200 kB bundle of them all. */
const MAX_FILES = 2000;
const MAX_BYTES = 2 ** 20;
/** Files read at once. */
const CONCURRENCY = 32;

/**
 * All trusted certificates, as PEM. Unreadable files are skipped. Changes take effect after a restart. `separator`
 * separates folders: a semicolon on Windows, as in OpenSSL, since drive names contain a colon.
 */
export async function trustedCertificates(env: Environment, separator = delimiter): Promise<string[]> {
  const files = [env.SSL_CERT_FILE || '', env.NODE_EXTRA_CA_CERTS || ''].filter((file) => file !== '');
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const fromFolder = await fromFolders((env.SSL_CERT_DIR || '').split(separator).filter(Boolean));
  return [...rootCertificates, ...texts.filter((text) => text.includes('-----BEGIN')), ...fromFolder];
}

/** Each certificate once, without those that Node already has: system folders contain most of them three times. */
async function fromFolders(folders: readonly string[]): Promise<readonly string[]> {
  const known = new Set(rootCertificates.map(withoutSpace));
  const certificates: string[] = [];
  const files = await filesIn(folders);
  for (let at = 0; at < files.length; at += CONCURRENCY) {
    const texts = await Promise.all(files.slice(at, at + CONCURRENCY).map(readSmall));
    for (const [block] of texts.flatMap((text) => [...text.matchAll(CERTIFICATE)])) {
      if (known.has(withoutSpace(block)) || !isCertificate(block)) continue;
      known.add(withoutSpace(block));
      certificates.push(block);
    }
  }
  return certificates;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]+-----END CERTIFICATE-----/g;

async function filesIn(folders: readonly string[]): Promise<readonly string[]> {
  const lists = folders.map(async (folder) => {
    const names = await readdir(folder).catch(() => []);
    return names.sort().map((name) => join(folder, name));
  });
  return (await Promise.all(lists)).flat().slice(0, MAX_FILES);
}

/** Empty if it is not a regular file, is larger than any certificate bundle, or cannot be read. */
async function readSmall(file: string): Promise<string> {
  try {
    const about = await stat(file);
    return about.isFile() && about.size <= MAX_BYTES ? await readFile(file, 'latin1') : '';
  } catch {
    return '';
  }
}

/** One broken certificate in the list would break every connection. */
function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function withoutSpace(block: string): string {
  return block.replace(/\s+/g, '');
}
