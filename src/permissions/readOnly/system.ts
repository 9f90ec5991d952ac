/** Programs that report the state of the system: processes, memory, sockets, archives, installed packages. */
import { readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

const nothing: ReadOnlyUse = { contents: [], names: [] };

/** Columns of `ps`, one at a time; the environment is not among them. */
const columns =
  /^(?:(?:pid|ppid|pgid|sid|tid|lwp|nlwp|user|uid|gid|group|comm|cmd|args|command|ucmd|%cpu|%mem|pcpu|pmem|cputime|rss|rssize|vsz|vsize|size|sz|stat|state|s|start|start_time|lstart|bsdstart|time|bsdtime|etime|etimes|tty|tt|tname|ni|nice|pri|psr|wchan|class|cls|f|flags|c)(?:=[\w %]*)?)$/i;

/**
 * Excludes `e` and `E`, which show the environment. `-e` selects all processes on Linux, but shows the environment on
 * BSD, and on Linux if ps reads all options in BSD style because it cannot interpret them otherwise (`-axe`, `-eTH`):
 * ps(1), "Cluster of options". So `-e` is allowed only with options that are valid next to it.
 */
function psUse(args: readonly string[]): ReadOnlyUse | undefined {
  const dashed = args.filter((word) => /^-[A-Za-z]+$/.test(word)).join('');
  if (dashed.includes('e') && /[xTLH]/.test(dashed)) return undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-o|-O|o|--sort|-eo|-Ao|axo|-axo|axco|--format)$/.test(word)) {
      at += 1;
      const list = (args[at] ?? '').split(',').map((name) => name.replace(/^[-+]/, ''));
      if (!list.every((name) => columns.test(name))) return undefined;
    } else if (/^(?:-p|-C|-u|-U|-t|--pid|--ppid)$/.test(word)) {
      at += 1;
      if (!/^[\w,.-]+$/.test(args[at] ?? '')) return undefined;
    } else if (/^--sort=[-+]?[\w%,+-]+$/.test(word) || /^--(?:forest|no-headers|headers|version)$/.test(word))
      continue;
    else if (!/^(?:-[AadefFHjLlwxyT]+|[aflruwxjTLhH]+|\d+(?:,\d+)*)$/.test(word)) return undefined;
  }
  return nothing;
}

/** Commands that need no more than their words, which are matched as one line. */
const lines: Readonly<Record<string, RegExp>> = {
  docker:
    /^(?:ps|images|container ls|image ls|volume ls|network ls|version|context ls)(?: (?:-a|-q|-aq|-s|-l|--all|--quiet|--no-trunc|--digests))*$/,
  free: /^(?:-(?:[bkmghltwv]+|-human|-mega|-giga|-si|-total|-wide)(?: |$))*$/,
  getconf: /^(?:_NPROCESSORS_ONLN|PAGE_SIZE|PAGESIZE|LONG_BIT|ARG_MAX|PATH)$/,
  ifconfig: /^(?:-a)?$/,
  ip: /^(?:-(?:br|brief|4|6|c|s|o|j|p|color)(?: |$))*(?:(?:a|addr|address|l|link|r|route|n|neigh)(?: (?:show|list|ls)(?: (?:dev )?[\w.-]+)?)?)$/,
  locale: /^(?:-a)?$/,
  lsblk: /^(?:-[abdfilmnpSt]+(?: |$))*$/,
  lscpu: /^(?:-[abcejpx]+)?$/,
  lsof: /^(?:-[nPt]+ )*(?:-[nPt]*i(?: ?(?:(?:tcp|udp|TCP|UDP)?:?[\d,-]*|tcp|udp))?)(?: -[nPt]+)*(?: -sTCP:LISTEN)?$/,
  netstat: /^-[aeilnoprstuvw]+(?: -[aelnoprstuvw]+)*$/,
  pgrep: /^(?:-[aflnoxuc]+ )*(?!-)[\w./-]+$/,
  pidof: /^[\w.-]+$/,
  ss: /^(?:-[tulnpaemorsxiH460]+(?: |$))*$/,
  vmstat: /^(?:-[asdSwtn]+(?: |$))*(?:\d+ \d+)?$/,
  w: /^(?:-[hsfoi]+)?$/,
  who: /^(?:-[abdHlmqrstTu]+)?$/,
  lsmod: /^$/,
  cal: /^(?:-?\w+(?: |$))*$/,
};

/**
 * `tar tf`: the letters may be written with or without a dash. A colon in the name of an archive means another machine,
 * so the name must be known.
 */
function tarUse(args: readonly string[]): ReadOnlyUse | undefined {
  const [letters = '', file, ...rest] = args;
  const isList = /^-?(?=[tvzjJ]*t)[tvzjJ]+f$/.test(letters) || letters === '--list';
  if (!isList || file === undefined || !/^[\w./~][\w./@%+, ~-]*$/.test(file)) return undefined;
  return rest.every((word) => /^[\w./][\w./ -]*$/.test(word)) ? { contents: [file], names: [] } : undefined;
}

function archiveUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  // These programs still parse options, and look for the archive, after a `--`.
  if (args.includes('--')) return undefined;
  const read = readOptions(args, { flags: name === 'unzip' ? 'lvqZ1' : '1lmsvhtzT' });
  if (read === undefined) return undefined;
  const lists = name === 'zipinfo' || read.options.some((option) => /^-[lvZ]$/.test(option.name));
  const [file] = read.operands;
  return lists && file != null ? { contents: [file], names: [] } : undefined;
}

/** undefined for another program, or other options. */
export function systemUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  if (name === 'ps') return psUse(args);
  if (name === 'tar') return tarUse(args);
  if (name === 'unzip' || name === 'zipinfo') return archiveUse(name, args);
  return Object.hasOwn(lines, name) && lines[name]?.test(args.join(' ')) === true ? nothing : undefined;
}
