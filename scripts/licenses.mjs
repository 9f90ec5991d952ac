// Collects the licenses of everything in the bundle, as most of them require when code is redistributed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One text: name, version and license of every package among the inputs of esbuild's `metafile`, and of `others`. */
export function licensesOf(metafile, others, root) {
  const folders = [
    ...Object.keys(metafile.inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
    ...others.map((name) => `node_modules/${name}`),
  ].filter((folder) => existsSync(join(root, folder, 'package.json')));
  const texts = [...new Set(folders)].map((folder) => licenseOf(join(root, folder)));
  return [...new Set(texts)].toSorted().join(`\n${'-'.repeat(80)}\n\n`);
}

/** For a package without a license file, at least the name of its license. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n').concat('\n');
}
