/**
 * Files that a command writes or deletes without naming them: in a folder that it removes, copies or moves, from an
 * archive or a patch, or through git. For rules that forbid editing them.
 */
import { basename, join, relative } from 'node:path';
import { forbids, mayForbid } from '../files/filePattern.ts';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { programName } from '../options/programTable.ts';
import { writerOf } from '../options/writers.ts';
import type { Policy } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import { filesToAdd } from '../rules/gitChanges.ts';
import { writtenByGit } from '../rules/gitWrites.ts';
import { parseRule, type SourcedRule } from '../rules/rules.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { callsIn } from './forbidden/equivalentCalls.ts';
import { mountsOf } from './mounts.ts';

/** All paths are absolute. */
interface Written {
  readonly files: readonly string[];
  /** Folders in which it may write files of any name. */
  readonly anywhereIn: readonly string[];
}

const nothing: Written = { files: [], anywhereIn: [] };
const merge = (all: readonly Written[]): Written => ({
  files: all.flatMap(({ files }) => files),
  anywhereIn: all.flatMap(({ anywhereIn }) => anywhereIn),
});

/** The first rule that forbids editing a file that a part of a command may write without naming it. */
export function mayWriteForbidden(
  part: CommandPart,
  directories: readonly string[],
  followsGit: boolean,
  rules: readonly SourcedRule[],
  policy: Policy,
): SourcedRule | undefined {
  const about = rules.filter(isAboutWriting);
  if (about.length === 0 || readOnlyUse(part) !== undefined) return undefined;
  // There are many installed packages, and few rules about them.
  const without = about.some(({ text }) => text.includes('node_modules')) ? [] : ['node_modules'];
  const calls = callsIn(part).map((words) => ({ ...part, argv: words.argv, raw: words.raw }));
  for (const directory of directories)
    for (const call of calls) {
      const { files, anywhereIn } = writtenBy({ part: call, directory, followsGit, without }, policy);
      const found = about.find(
        (rule) =>
          files.some((path) => covers(rule, path, policy)) ||
          anywhereIn.some((folder) => reachesInto(rule, folder, policy)),
      );
      if (found) return found;
    }
  return undefined;
}

/** True if a part of a command writes or deletes any files. */
export function writesFiles(
  part: CommandPart,
  directories: readonly string[],
  followsGit: boolean,
  policy: Policy,
): boolean {
  if (readOnlyUse(part) !== undefined) return false;
  return callsIn(part).some(({ argv, raw }) => {
    const call = { part: { ...part, argv, raw }, followsGit, without: [] };
    return (
      writerOf(argv) !== undefined ||
      directories.some((directory) => {
        const { files, anywhereIn } = writtenBy({ ...call, directory }, policy);
        return files.length + anywhereIn.length > 0;
      })
    );
  });
}

function isAboutWriting({ text }: SourcedRule): boolean {
  const parsed = parseRule(text);
  return (
    !('error' in parsed) &&
    /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(parsed.tool) &&
    parsed.spec !== undefined
  );
}

/** True if a rule about files covers a path. */
export function covers(rule: SourcedRule, path: string, policy: Policy): boolean {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.spec === undefined) return false;
  return forbids(parsed.spec, [path], { ...policy, base: rule.base });
}

/** True if a rule about files may cover one in a folder, including names with a leading dot. */
export function reachesInto(rule: SourcedRule, folder: string, policy: Policy): boolean {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.spec === undefined) return false;
  const inside = `${folder === '/' ? '' : folder}/[!/]*`;
  return mayForbid(parsed.spec, inside, { ...policy, base: rule.base });
}

interface Call {
  readonly part: CommandPart;
  readonly directory: string;
  /** An earlier part may have changed what git writes. */
  readonly followsGit: boolean;
  /** Names of folders whose files are ignored. */
  readonly without: readonly string[];
}

const removers = /^(?:rm|rimraf|shred|srm|trash|trash-put|del|del-cli)$/;
const transfers = /^(?:cp|mv|ln|install|rsync|scp|ditto|rclone|unison)$/;
/** Other version control systems, and their subcommands that leave the working copy as it is. */
const otherSystems = /^(?:hg|svn|jj|sl|bzr|brz|fossil|darcs|cvs|p4)$/;
const harmlessThere =
  /^(?:add|annotate|blame|branch|branches|cat|ci|commit|describe|diff|heads|help|id|info|list|log|ls|outgoing|incoming|parents|paths|push|root|show|st|status|summary|tags|version)$/;

function writtenBy(call: Call, policy: Policy): Written {
  const { part, directory } = call;
  const name = programName(part.argv[0]);
  const args = part.argv.slice(1).filter((word) => word !== null);
  const operands = args.filter((word) => !word.startsWith('-'));
  const at = (word: string): string => locate(word, directory, policy);
  const mounted = mountsOf(part).flatMap(({ source, isReadOnly }) => (isReadOnly ? [] : [at(source)]));
  if (mounted.length > 0) return merge(mounted.map((path) => below(path, call, policy)));
  if (name === 'git') return ofGit(call, args, policy);
  if (removers.test(name)) return merge(operands.map((word) => below(at(word), call, policy)));
  if (transfers.test(name)) return transferred(name, args, call, policy);
  if (/^g?find$/.test(name) || /^fd(?:find)?$/.test(name)) return found(args, call, policy);
  if (otherSystems.test(name))
    return harmlessThere.test(operands[0] ?? '') ? nothing : { files: [], anywhereIn: [directory] };
  if (/^(?:gunzip|gzip|pigz|bunzip2|bzip2|unxz|xz|unzstd|zstd|unlz4|lz4|uncompress)$/.test(name))
    return merge([
      ...operands.map((word) => below(at(word), call, policy)),
      { files: operands.map((word) => at(word.replace(/\.\w+$/, ''))), anywhereIn: [] },
    ]);
  if (/^(?:curl|wget)$/.test(name) && writerOf(part.argv) === undefined) return nothing;
  if (/^(?:curl|wget|aria2c)$/.test(name)) return downloaded(args, at);
  const into = extractedTo(name, args);
  if (into !== undefined) return { files: [], anywhereIn: into.map(at) };
  return rewritten(call, operands, policy);
}

/** Formatters and the like: the files in the folders they are pointed at, by default the current one. */
function rewritten(call: Call, operands: readonly string[], policy: Policy): Written {
  const writer = writerOf(call.part.argv);
  if (writer === undefined || writer.namesFiles) return nothing;
  const at = (word: string): string => locate(word, call.directory, policy);
  const folders = operands
    .map((word) => at(word.replace(/\/?\.\.\.$/, '') || '.'))
    .filter(policy.isDirectory);
  const isNamed = operands.some((word) => /[./*]/.test(word));
  const isPlaced = !writer.searches && (folders.length > 0 || isNamed);
  const places = isPlaced ? folders : [call.directory];
  const all = merge(places.map((place) => below(place, call, policy)));
  return { ...all, files: all.files.filter((path) => writer.files?.test(basename(path)) !== false) };
}

/** Every file in a folder; nothing for a file, which the command names. */
function below(path: string, { without }: Call, policy: Policy): Written {
  if (!policy.isDirectory(path) || without.includes(basename(path))) return nothing;
  const entries = policy.filesBelow(policy.realpath(path), { hidden: true, without });
  return entries === undefined
    ? { files: [], anywhereIn: [path] }
    : { files: [...entries.files, ...entries.links], anywhereIn: [] };
}

function ofGit(
  { part, directory, followsGit, without }: Call,
  args: readonly string[],
  policy: Policy,
): Written {
  const written = writtenByGit(part, directory, policy);
  const call = { part, directory, followsGit, without };
  // Moved files get names in the target.
  const moved = args[0] === 'mv' ? transferred('mv', args.slice(1), call, policy) : nothing;
  if (written !== undefined && !(followsGit && written.files !== 'none'))
    return merge([
      moved,
      { files: written.files === 'none' ? [] : written.files, anywhereIn: written.folders },
    ]);
  return { files: [], anywhereIn: [filesToAdd(directory, policy).path] };
}

/** A copy or move: each source at its new place, and what a move takes away. */
function transferred(name: string, args: readonly string[], call: Call, policy: Policy): Written {
  const at = (word: string): string => locate(word, call.directory, policy);
  const operands = args.filter((word) => !word.startsWith('-'));
  const index = args.findIndex((word) => /^(?:-[a-zA-Z]*t|--target-directory)$/.test(word));
  const named = args.flatMap((word) => /^(?:-t|--target-directory=)(.+)$/s.exec(word)?.[1] ?? []);
  const target = named[0] ?? (index === -1 ? operands.at(-1) : args[index + 1]);
  if (target === undefined) return nothing;
  const sources = operands.filter((word) => word !== target);
  const has = (option: RegExp): boolean => args.some((word) => option.test(word));
  const isWhole = name !== 'cp' || has(/^-[a-zA-Z]*[aRr]|^--(?:archive|rec)/);
  const isMove = name === 'mv' || has(/^--remove-source/);
  const places = [at(target)];
  return merge([
    ...(has(/^--del/) ? [below(at(target), call, policy)] : []),
    ...sources.flatMap((source) => {
      const files = hasGlob(source) ? policy.expandGlob(at(source)) : [at(source)];
      if (files === undefined) return [{ files: [], anywhereIn: places }];
      return files.map((from) => {
        // `cp -r a/. b` and `rsync a/ b` copy what the folder contains.
        const isContent = /(?:^|\/)\.\.?$/.test(source) || (name === 'rsync' && source.endsWith('/'));
        const ends = [...places, ...(isContent ? [] : [join(at(target), basename(from))])];
        const own = { files: ends, anywhereIn: [] };
        // A link to a folder gives every file in it another name.
        if (name === 'ln') return policy.isDirectory(from) ? { files: ends, anywhereIn: [from] } : own;
        if (!isWhole) return own;
        const isNew = !policy.isDirectory(from) && (isContent || source.endsWith('/'));
        if (isNew) return { files: ends, anywhereIn: ends };
        const inside = below(from, call, policy);
        if (inside.anywhereIn.length > 0)
          return { files: ends, anywhereIn: [...ends, ...(isMove ? [from] : [])] };
        const root = policy.realpath(from);
        const copies = inside.files.flatMap((path) => ends.map((end) => join(end, relative(root, path))));
        return { files: [...ends, ...copies, ...(isMove ? inside.files : [])], anywhereIn: [] };
      });
    }),
  ]);
}

/** `find … -delete` and `-exec`: every file whose path has a part that the first `-name` matches. */
function found(args: readonly string[], call: Call, policy: Policy): Written {
  const acts = args.findIndex((word) => /^-(?:delete|exec|execdir|ok|okdir|x|X|-exec.*)$/.test(word));
  if (acts === -1) return nothing;
  const tests = args.slice(0, acts);
  const first = tests.findIndex((word) => /^(?:-.|[!(,])/.test(word));
  const places = first === -1 ? tests : tests.slice(0, first);
  const isNarrow = !tests.some((word) => /^(?:-o|-or|!|-not|,|\(|\))$/.test(word));
  const pattern = isNarrow && tests.includes('-name') ? tests[tests.indexOf('-name') + 1] : undefined;
  const matches = (path: string, from: string): boolean =>
    pattern === undefined ||
    [basename(from), ...relative(from, path).split('/')].some((part) =>
      globsOverlap(pattern, part.replace(/[*?[\]{}()\\]/g, '?')),
    );
  return merge(
    (places.length === 0 ? ['.'] : places).map((word) => {
      const from = policy.realpath(locate(word, call.directory, policy));
      const all = below(from, call, policy);
      return { ...all, files: all.files.filter((path) => matches(path, from)) };
    }),
  );
}

/** `curl -O` and `wget` name files after URLs. */
function downloaded(args: readonly string[], at: (word: string) => string): Written {
  const names = args.flatMap((word) => /\/([^/?#]+)(?:[?#].*)?$/s.exec(word)?.[1] ?? []);
  const folders = args.flatMap((word, index) => [
    ...(/^(?:-P|-d|--dir|--output-dir|--directory-prefix)$/.test(args[index - 1] ?? '') ? [word] : []),
    ...(/^(?:-P|--(?:dir|output-dir|directory-prefix)=)(.+)$/s.exec(word)?.slice(1) ?? []),
  ]);
  const isOpen = args.some((word) =>
    /^(?:-r|-m|--recursive|--mirror|-[a-zA-Z]*J|--remote-header-name|-x|--content-disposition)$/.test(word),
  );
  return {
    files: names.flatMap((name) => ['.', ...folders].map((folder) => at(join(folder, name)))),
    anywhereIn: isOpen ? ['.', ...folders].map(at) : [],
  };
}

/** The folders into which an archive is extracted or a patch applied; undefined for any other command. */
function extractedTo(name: string, args: readonly string[]): readonly string[] | undefined {
  const has = (option: RegExp): boolean => args.some((word) => option.test(word));
  const values = (option: RegExp, glued: RegExp): readonly string[] => {
    const given = args.flatMap((word, at) => [
      ...(option.test(args[at - 1] ?? '') ? [word] : []),
      ...(glued.exec(word)?.slice(1) ?? []),
    ]);
    return given.length > 0 ? given : ['.'];
  };
  const first = args[0] ?? '';
  const ofPython = args[args.indexOf('-m') + 1] ?? '';
  if (/^(?:bsd|g)?tar$/.test(name)) {
    const extracts = /^[A-Za-z]*x/.test(first) || has(/^-[A-Za-z]*x|^--(?:extr|get)/);
    if (has(/^--remove/)) return ['.'];
    return extracts ? values(/^(?:-C|--directory|--cd)$/, /^(?:-C|--(?:directory|cd)=)(.+)$/s) : undefined;
  }
  switch (name) {
    case 'unzip':
      return has(/^-[A-Za-z]*[lptvzZ]/) ? undefined : values(/^-d$/, /^-d(.+)$/s);
    case '7z':
    case '7za':
    case '7zr':
    case '7zz':
      return /^[xe]$/.test(first) ? values(/(?!)/, /^-o(.+)$/s) : undefined;
    case 'rar':
    case 'unrar':
      return /^[xe]$/.test(first) ? ['.', args.at(-1) ?? '.'] : undefined;
    case 'cpio':
    case 'bsdcpio':
      return ['.', ...values(/^-D$/, /^(?:-D|--directory=)(.+)$/s)];
    case 'jar':
      return /x/.test(first) ? values(/^-C$/, /^--dir=(.+)$/s) : undefined;
    case 'ar':
      return /x/.test(first) ? ['.'] : undefined;
    case 'dpkg':
    case 'dpkg-deb':
      return has(/^-[xXR]$|^--(?:vextract|extract|raw-extract)$/) ? [args.at(-1) ?? '.'] : undefined;
    case 'patch':
      return has(/^--dry-run$/) ? undefined : values(/^(?:-d|--directory)$/, /^(?:-d|--directory=)(.+)$/s);
    case 'pax':
    case 'unar':
    case 'cabextract':
    case 'rename':
    case 'prename':
    case 'mmv':
    case 'detox':
      return ['.'];
    default:
      return /^(?:zipfile|tarfile)$/.test(ofPython) && has(/^(?:-e|--extract)$/)
        ? ['.', args.at(-1) ?? '.']
        : undefined;
  }
}
